import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, sessionOf, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";

/** Days without other sales: no test orders on them. */
const TO = Math.floor(Date.now() / DAY_MS) - 40;
const FROM = TO - 2;
const date = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const PERIOD = `from=${date(FROM)}&to=${date(TO)}`;
/** The count of orders that took 24 to 26 minutes. */
const HALF_AN_HOUR = "c85";

type Subjects = { services: { id: number; name: string; provider: number | null }[]; emails: string[] };
let subjects: Subjects;

test.beforeEach(async ({ copy }) => {
  subjects = await addSales(copy);
});

test("compares days, services, providers and customers, sorts them and exports what it shows", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  const [small, big] = subjects.services;
  await signIn(page, copy, "admin", `/admin/reports?by=day&${PERIOD}`);
  const rows = page.getByRole("region", { name: "Report", exact: true }).getByRole("row");
  const columnOf = async (cell: number) =>
    (await rows.locator(`td:nth-child(${cell})`).allInnerTexts()).map((text) => text.split("\n")[0]);
  await expect(rows).toHaveCount(4);
  // Three days of $30 each, and $60 on the three days before.
  expect(await columnOf(2)).toEqual(["$30.00", "$30.00", "$30.00"]);
  await expect(page.getByText("$30.00 more (+50%)")).toBeVisible();

  await page.getByRole("link", { name: "By service" }).click();
  await expect(rows).toHaveCount(3);
  expect(await columnOf(1)).toEqual([big?.name, small?.name]);
  await page.getByRole("link", { name: "Margin" }).first().click();
  await page.waitForURL(/sort=-margin/);
  await expect.poll(() => columnOf(1)).toEqual([small?.name, big?.name]);
  await expect(rows.nth(1)).toContainText("90.0%");
  await expect(rows.nth(1)).toContainText("26\u00a0min");

  await page.getByLabel("Compared with").selectOption({ label: "The same days a year before" });
  await page.getByRole("button", { name: "Show report" }).click();
  await page.waitForURL(/against=year/);
  await expect(page.getByText("$90.00 more, none before").first()).toBeVisible();

  await page.getByRole("link", { name: "By provider" }).click();
  await expect(rows.filter({ hasText: "$90.00" })).toHaveCount(1);

  await page.getByRole("link", { name: "By customer" }).click();
  await expect.poll(() => columnOf(1)).toEqual(subjects.emails);
  // One customer has 20 ended orders: 15 took half an hour and 5 were canceled. The other's are open.
  await expect(rows.nth(1)).toContainText("25.0%");
  await expect(rows.nth(1)).toContainText("26\u00a0min");
  await expect(rows.nth(2)).not.toContainText("min");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const [head = "", ...lines] = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
  expect(lines.map((line) => line.split(",")[1])).toEqual(subjects.emails);
  const canceled = head.split(",").indexOf("canceled_percent");
  expect(lines.map((line) => line.split(",")[canceled])).toEqual(["25", ""]);
  await auditPage(page, "the report by customer");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "the report by customer");
});

test("compares, sorts and exports without scripts", { tag: "@nightly" }, async ({ browser, copy }) => {
  const storageState = await sessionOf(browser, copy, "admin");
  const context = await browser.newContext({ baseURL: copy.url, storageState, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`/admin/reports?by=service&${PERIOD}&against=year`);
  const first = page.getByRole("region", { name: "Report", exact: true }).getByRole("row").nth(1);
  await page.getByLabel("Compared with").selectOption({ label: "The days before" });
  await page.getByRole("button", { name: "Show report" }).click();
  await expect(page.getByText("$30.00 more (+50%)")).toBeVisible();
  await expect(first).toContainText(subjects.services[1]?.name ?? "no name");
  await page.getByRole("link", { name: "Margin" }).first().click();
  await expect(first).toContainText(subjects.services[0]?.name ?? "no name");
  const csv = await exportOf(page);
  expect(csv.split("\r\n")[1]).toContain(`${subjects.services[0]?.id},`);
  await context.close();
});

/** Returns the file behind the link that exports the list. */
async function exportOf(page: Page): Promise<string> {
  const link = (await page.getByRole("link", { name: "Export CSV" }).getAttribute("href")) ?? "";
  return (await page.request.get(link)).text();
}

/**
 * Adds what the jobs would have summed up: on each day of the period a service sold $6 and cost $0.60, and another sold $24
 * and cost $12. On the days before, it was two thirds of that.
 */
async function addSales(copy: LocalCopy): Promise<Subjects> {
  const database = await openDatabase({ remote: false, stateDir: copy.stateDir });
  const run = (statement: string, ...values: (string | number)[]) =>
    database.binding.prepare(statement).bind(...values);
  const { results: services } = await whenFree(() =>
    run("select id, name, provider_id as provider from services where provider_id is not null order by id limit 2").all<
      Subjects["services"][number]
    >(),
  );
  const { results: people } = await whenFree(() =>
    run(
      "select user_id as id, email from profiles where email in (?, ?) order by email desc",
      copy.demo.customer.email,
      copy.demo.agent.email,
    ).all<{ id: string; email: string }>(),
  );
  const statements = ["sales_days", "sales_day_totals", "spending_days", "service_days"].map((table) =>
    run(`delete from ${table} where day between ? and ?`, FROM - 3, TO),
  );
  const addService = (n: number, day: number, charged: number, cost: number) =>
    run(
      `insert into sales_days (day, service_id, provider_id, orders, charged, cost, costed) values (?, ?, ?, 10, ?, ?, 10)`,
      ...[day, services[n]?.id ?? 0, services[n]?.provider ?? 0, charged, cost],
    );
  for (let ago = 0; ago < 6; ago++) {
    const [day, dollars] = [TO - ago, (ago < 3 ? 3 : 2) * MICRO];
    statements.push(
      addService(0, day, 2 * dollars, dollars / 5),
      addService(1, day, 8 * dollars, 4 * dollars),
      run(
        "insert into sales_day_totals (day, orders, charged, cost, costed) values (?, 20, ?, ?, 20)",
        ...[day, 10 * dollars, (21 * dollars) / 5],
      ),
    );
  }
  for (const { id } of services) {
    for (let day = FROM; day <= TO; day++) {
      statements.push(
        run("insert into service_days (day, service_id, ended) values (?, ?, ?)", day, id, endings(10, 0)),
      );
    }
  }
  for (const [n, { id }] of people.entries()) {
    const ended = n === 0 ? endings(15, 5) : "{}";
    statements.push(
      run(
        "insert into spending_days (user_id, day, spent, orders, balance, cost, ended) values (?, ?, ?, 20, 0, ?, ?)",
        ...[id, TO, (60 - 30 * n) * MICRO, 20 * MICRO, ended],
      ),
    );
  }
  await whenFree(() => database.binding.batch(statements));
  await database.close();
  return { services, emails: people.map(({ email }) => email) };
}

/** Returns the counts of orders that were completed, and canceled, in half an hour. */
function endings(completed: number, canceled: number): string {
  return JSON.stringify({ [HALF_AN_HOUR]: completed, [HALF_AN_HOUR.replace("c", "x")]: canceled });
}
