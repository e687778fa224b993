import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { allowConsole, expect, signIn, signUp, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

test("staff finds a held order first, refunds it, and the log says who did what and why", async ({ page, copy }) => {
  const order = await heldOrder(copy);
  const before = await balance(copy);
  await signIn(page, copy, "admin", "/admin/orders");
  await page
    .getByRole("row", { name: new RegExp(`^${order}\\b`) })
    .getByRole("link", { name: String(order) })
    .click();
  await page.waitForURL(`/admin/orders/${order}`);
  await expect(page.getByRole("group", { name: "Provider log" })).toContainText("Internal Server Error");
  await page.getByLabel(/did not take it/).check();
  // Without a reason nothing is done.
  allowConsole(page, /status of 400/);
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByLabel("Reason").first()).toHaveAccessibleDescription(/Give a reason/);
  expect(await balance(copy)).toBe(before);
  await page.getByLabel("Reason").first().fill("Not in their panel");
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByText(`Order ${order} is canceled and refunded.`)).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("Not in their panel");
  expect((await balance(copy)) - before).toBeCloseTo(2.4, 6);
  expect(await status(copy, order)).toMatchObject({ status: "Canceled" });
  await page.goto("/admin/audit");
  const entry = page.getByRole("row", { name: new RegExp(`order ${order}\\b`) });
  await expect(entry).toContainText("Demo Admin");
  await expect(entry).toContainText("it was not accepted, refunded");
});

test("an agent reads orders and can touch nothing; the rest of the console is not there for an agent", async ({
  page: agent,
  copy,
}) => {
  const order = await heldOrder(copy);
  await signIn(agent, copy, "agent", `/admin/orders/${order}`);
  await expect(agent.getByRole("heading", { name: `Order ${order}` })).toBeVisible();
  await expect(agent.getByRole("button", { name: /Set|Refund|Cancel/ })).toHaveCount(0);
  allowConsole(agent, /404/);
  for (const path of ["services", "providers", "customers", "payments", "codes", "audit"]) {
    expect((await agent.goto(`/admin/${path}`))?.status(), path).toBe(404);
  }
  const answer = await agent.request.post(`/admin/orders/${order}`, {
    form: { intent: "status", status: "Completed", remains: "0", reason: "I try" },
    headers: { Origin: copy.url },
  });
  expect(answer.status()).toBe(404);
});

test("who decides about an order too late is told so, and sees how it stands now", async ({ page, copy }) => {
  const order = await heldOrder(copy);
  await signIn(page, copy, "admin", `/admin/orders/${order}`);
  const late = await page.context().newPage();
  await late.goto(`/admin/orders/${order}`);
  await page.getByLabel(/did not take it/).check();
  await page.getByLabel("Reason").first().fill("Not in their panel");
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByText(`Order ${order} is canceled and refunded.`)).toBeVisible();

  allowConsole(late, /status of 409/);
  await late.getByLabel(/did not take it/).check();
  await late.getByLabel("Reason").first().fill("I think so too");
  await late.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(late.getByRole("button", { name: "Cancel and refund $2.40" })).toHaveCount(0);
  await expect(late.getByRole("alert")).toContainText("The order is not held any more.");
  await expect(late.getByText("$2.40 went back")).toBeVisible();
  await expect(late.getByRole("group", { name: "Audit log" })).toContainText("Not in their panel");
});

test("the sandbox's prices are previewed, imported, and what is new is put on sale", async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/providers");
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.waitForURL(/providers\/1$/);
  await page.getByRole("button", { name: "Test the connection" }).click();
  await expect(page.getByText("The balance there is 1000000.00 USD")).toBeVisible();
  const { providerKey } = JSON.parse(await readFile(join(copy.stateDir, "secrets.json"), "utf8")) as {
    providerKey: string;
  };
  expect(await page.content()).not.toContain(providerKey);
  await page.getByLabel("Markup in percent").last().fill("50");
  await page.getByRole("button", { name: "Show what would change" }).click();
  const report = page.getByRole("group", { name: "Changes" });
  await expect(report.getByRole("row", { name: /Threads followers/ })).toContainText("$2.85");
  await expect(report.getByRole("row", { name: /Instagram likes/ })).toContainText("0.2275");
  await page.getByRole("button", { name: "Import 3 changes" }).click();
  await expect(page.getByText("The catalog is imported: 3 changes.")).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("markup: 50");

  await page.goto("/admin/services?state=disabled&q=threads");
  await page.getByLabel("Select this page").check();
  await page.getByRole("button", { name: "Put on sale" }).click();
  await expect(page.getByText("2 services are on sale.")).toBeVisible();
  const services = (await (
    await page.request.post("/api/v2", { form: { key: copy.demo.customer.apiKey, action: "services" } })
  ).json()) as {
    name: string;
    rate: string;
  }[];
  expect(services.find(({ name }) => name === "Threads likes")?.rate).toBe("0.66");
  expect(services.find(({ name }) => name === "Instagram likes")?.rate).toBe("0.465");

  await page.goto("/admin/services/3");
  await page.getByLabel("Rate in USD").fill("0.50");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved. The list and the API")).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("rate: $0.465 → $0.50");
});

test("a customer is found, credited and debited, but never below nothing", async ({ page, copy, browser }) => {
  const theirs = await (await browser.newContext({ baseURL: copy.url })).newPage();
  const email = await signUp(theirs);
  await theirs.context().close();
  await signIn(page, copy, "admin", "/admin/customers");
  await page.getByLabel("Find").fill(email.slice(0, 18));
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByRole("link", { name: email }).click();
  await page.waitForURL(/customers\/[0-9a-f-]{36}/);
  await move(page, "topup", "30", "Bank transfer 881");
  await expect(page.getByText("Done. The balance is $30.00 now.")).toBeVisible();
  allowConsole(page, /status of 409/);
  await move(page, "debit", "30.01", "Too much");
  await expect(page.getByText("The balance does not cover this debit.")).toBeVisible();
  await page.getByLabel("Amount in USD").fill("10");
  await page.getByRole("button", { name: "Move the balance" }).click();
  await expect(page.getByText("Done. The balance is $20.00 now.")).toBeVisible();
  await expect(page.getByRole("group", { name: "Transactions" })).toContainText("Bank transfer 881");
});

async function move(page: Page, direction: string, amount: string, reason: string): Promise<void> {
  await page.getByLabel("What", { exact: true }).selectOption(direction);
  await page.getByLabel("Amount in USD").fill(amount);
  await page.getByLabel("Reason").fill(reason);
  await page.getByRole("button", { name: "Move the balance" }).click();
}

/** An order whose submission the sandbox answers with 500, so that nobody knows. */
async function heldOrder(copy: LocalCopy): Promise<number> {
  const placed = await api(copy, {
    action: "add",
    service: "1",
    link: "https://instagram.com/p/1?sandbox=500",
    quantity: "1000",
  });
  return Number(placed.order);
}

async function balance(copy: LocalCopy): Promise<number> {
  return Number((await api(copy, { action: "balance" })).balance);
}

function status(copy: LocalCopy, order: number) {
  return api(copy, { action: "status", order: String(order) });
}

async function api(copy: LocalCopy, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, ...fields });
  return (await fetch(`${copy.url}/api/v2`, { method: "POST", body })).json() as Promise<Record<string, unknown>>;
}
