import { allowConsole, test as base, expect, signIn } from "#tests/e2e/fixtures.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase } from "#tools/run/database.ts";
import { massCell as cell } from "./order-form-steps.ts";

const SERVICE = "Likes that people deliver by hand";

/** A separate copy, because 2,000 services and 1,000 orders would slow the other tests down. */
const test = base.extend<object, { copy: LocalCopy; serviceId: number }>({
  copy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures it depends on from the pattern
    async ({}, use) => {
      const copy = await startLocalCopy();
      await use(copy);
      await copy.remove();
    },
    { scope: "worker", timeout: 240_000 },
  ],
  serviceId: [
    async ({ copy }, use) => {
      // Stops the copy first, because two workerds on one database lock each other out.
      await copy.stop();
      const database = await openDatabase({ remote: false, stateDir: copy.stateDir });
      await database.binding
        .prepare(
          "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into services (network, category, name, rate, min, max, position) select 'Network ' || (i % 9), 'Category ' || (i % 40), 'Service number ' || i, 900000, 10, 100000, 9999 from n",
        )
        .run();
      const created = await database.binding
        .prepare(
          "insert into services (network, category, name, rate, min, max, position) values ('Instagram', 'By hand', ?, 900000, 10, 100000, 9999) returning id",
        )
        .bind(SERVICE)
        .first<number>("id");
      await database.close();
      await copy.start();
      await use(created ?? 0);
    },
    { scope: "worker", timeout: 240_000 },
  ],
});

test("finds a service among 2,000 as it is typed, without a request", async ({ page, copy, serviceId }) => {
  expect(serviceId).toBeGreaterThan(2000);
  await signIn(page, copy, "customer");
  const field = page.getByLabel("Find a service", { exact: true });
  const options = page.getByRole("listbox", { name: "Services" }).getByRole("option");
  await expect(options.first()).toBeVisible();
  expect(await options.count()).toBeLessThanOrEqual(80);
  const requested: string[] = [];
  page.on("request", (request) => {
    // The page may still be requesting its session and the chat's, and the scripts of both, once the browser is idle.
    if (!/\/auth\/v1\/|\/support\/session|\/assets\//.test(request.url())) requested.push(request.url());
  });
  await field.pressSequentially("number 1987");
  // One service by its name, and another by its ID.
  await expect(options).toHaveCount(2);
  expect(requested).toEqual([]);
  await options.filter({ hasText: "Service number 1987" }).click();
  await expect(page.getByRole("heading", { name: "Service number 1987" })).toBeVisible();
});

test("checks a CSV of 1,000 lines with 3 errors and places its valid lines once", async ({ page, copy, serviceId }) => {
  test.setTimeout(180_000);
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer");
  const lines = Array.from({ length: 1000 }, (_, n) => `${serviceId},https://instagram.com/p/${n + 2},100`);
  lines[99] = `${serviceId},not a link,100`;
  lines[499] = `${serviceId},https://instagram.com/p/501,1`;
  lines[899] = "999999,https://instagram.com/p/901,100";
  const csv = ["service,link,quantity", ...lines].join("\r\n");
  await page.goto("/upload");
  await page
    .getByLabel("Drop files here or choose them")
    .setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByRole("link", { name: "Order from orders.csv" }).click();
  await page.waitForURL(/orders\/mass\?.*draft=/);
  await expect(page.getByText("997 valid · 3 errors")).toBeVisible();
  await page.getByRole("button", { name: "Errors", exact: true }).click();
  const links = page.getByRole("textbox", { name: /^Link, line/ });
  await expect(links).toHaveCount(3);
  await expect(cell(page, "Link", 100)).toHaveAccessibleDescription(/Enter the full public link/);
  await expect(cell(page, "Quantity", 500)).toHaveAccessibleDescription("The minimum for this service is 10");
  await expect(cell(page, "Service", 900)).toHaveAccessibleDescription("Service 999999 is not available");
  await page.getByRole("button", { name: "All", exact: true }).click();
  await expect(cell(page, "Link", 1)).toBeVisible();

  await page.getByRole("button", { name: "Place 997, skip 3 · $89.73" }).dblclick();
  await page.waitForURL(/orders\/mass\/\d+/);
  await expect(page.getByText("997 orders placed for $89.73 from orders.csv, 3 lines skipped.")).toBeVisible();
  await expect(page.getByRole("link", { name: /Balance/ })).toContainText("$160.27");

  await page.goBack();
  await expect(page.getByText("These lines are already placed: 997 orders. Nothing is placed twice.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("These lines are already placed: 997 orders. Nothing is placed twice.")).toBeVisible();
  await expect(page.getByRole("link", { name: /Balance/ })).toContainText("$160.27");
});
