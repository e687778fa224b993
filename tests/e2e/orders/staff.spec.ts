import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Page, request } from "@playwright/test";
import { allowConsole, expect, sessionOf, signIn, signUp, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

test("refunds a held order and logs who did what and why", async ({ page, copy }) => {
  const order = await heldOrder(page, copy);
  const before = await balance(copy);
  await signIn(page, copy, "admin", "/admin/orders");
  await page
    .getByRole("row", { name: new RegExp(`^${order}\\b`) })
    .getByRole("link", { name: String(order) })
    .click();
  await page.waitForURL(`/admin/orders/${order}`);
  await expect(page.getByRole("group", { name: "Provider log" })).toContainText("Internal Server Error");
  await page.getByLabel(/didn't accept it/).check();
  // Refuses the form without a reason.
  allowConsole(page, /status of 400/);
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByLabel("Reason").first()).toHaveAccessibleDescription(/Enter a reason/);
  expect(await balance(copy)).toBe(before);
  await page.getByLabel("Reason").first().fill("Not in their panel");
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByText(`Order ${order} canceled and refunded.`)).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("Not in their panel");
  expect((await balance(copy)) - before).toBeCloseTo(2.4, 6);
  expect(await status(copy, order)).toMatchObject({ status: "Canceled" });
  await page.goto("/admin/audit");
  const entry = page.getByRole("row", { name: new RegExp(`order ${order}\\b`) });
  await expect(entry).toContainText("Demo Admin");
  await expect(entry).toContainText("Resolved as not accepted, refunded");
});

test("lets agents read orders but change nothing, and hides the admin pages from them", async ({
  page: agent,
  copy,
}) => {
  const order = await heldOrder(agent, copy);
  await signIn(agent, copy, "agent", `/admin/orders/${order}`);
  await expect(agent.getByRole("heading", { name: `Order ${order}` })).toBeVisible();
  await expect(agent.getByRole("button", { name: /Set|Refund|Cancel/ })).toHaveCount(0);
  allowConsole(agent, /404/);
  for (const path of ["services", "providers", "customers", "payments", "codes", "emails", "audit"]) {
    expect((await agent.goto(`/admin/${path}`))?.status(), path).toBe(404);
  }
  const response = await agent.request.post(`/admin/orders/${order}`, {
    form: { intent: "status", status: "Completed", remains: "0", reason: "I try" },
    headers: { Origin: copy.url },
  });
  expect(response.status()).toBe(404);
});

test("shows the current order to an admin who decides too late", async ({ page, copy }) => {
  const order = await heldOrder(page, copy);
  await signIn(page, copy, "admin", `/admin/orders/${order}`);
  const late = await page.context().newPage();
  await late.goto(`/admin/orders/${order}`);
  await page.getByLabel(/didn't accept it/).check();
  await page.getByLabel("Reason").first().fill("Not in their panel");
  await page.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(page.getByText(`Order ${order} canceled and refunded.`)).toBeVisible();

  allowConsole(late, /status of 409/);
  await late.getByLabel(/didn't accept it/).check();
  await late.getByLabel("Reason").first().fill("I think so too");
  await late.getByRole("button", { name: "Cancel and refund $2.40" }).click();
  await expect(late.getByRole("button", { name: "Cancel and refund $2.40" })).toHaveCount(0);
  await expect(late.getByRole("alert")).toContainText("This order is no longer held.");
  await expect(late.getByText(/\$2\.40 refunded/)).toBeVisible();
  await expect(late.getByRole("group", { name: "Audit log" })).toContainText("Not in their panel");
});

test("previews and imports a provider's catalog, and puts new services on sale", async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/providers");
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.waitForURL(/providers\/1$/);
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByText("Balance: 1000000.00 USD")).toBeVisible();
  const { providerKey } = JSON.parse(await readFile(join(copy.stateDir, "secrets.json"), "utf8")) as {
    providerKey: string;
  };
  expect(await page.content()).not.toContain(providerKey);
  await page.getByLabel("Markup in percent").last().fill("50");
  await page.getByRole("button", { name: "Preview changes" }).click();
  const report = page.getByRole("group", { name: "Changes" });
  await expect(report.getByRole("row", { name: /Threads followers/ })).toContainText("$2.85");
  await expect(report.getByRole("row", { name: /Instagram likes/ })).toContainText("0.2275");
  await page.getByRole("button", { name: "Import 3 changes" }).click();
  await expect(page.getByText("Catalog imported: 3 changes.")).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("markup: 50");

  await page.goto("/admin/services?state=disabled&q=threads");
  await page.getByLabel("Select this page").check();
  await page.getByRole("button", { name: "Put on sale" }).click();
  await expect(page.getByText("2 services put on sale.")).toBeVisible();
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
  await page.getByRole("button", { name: "Save service" }).click();
  await expect(page.getByText("Saved. The catalog and the API")).toBeVisible();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("rate: $0.465 → $0.50");
});

test("finds, credits and debits a customer, but never below zero", async ({ page, copy, browser }) => {
  const theirs = await (await browser.newContext({ baseURL: copy.url })).newPage();
  const email = await signUp(theirs);
  await theirs.context().close();
  await signIn(page, copy, "admin", "/admin/customers");
  await page.getByLabel("Search").fill(email.slice(0, 18));
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: email }).click();
  await page.waitForURL(/customers\/[0-9a-f-]{36}/);
  allowConsole(page, /status of 4(00|09)/);
  await adjust(page, "topup", "30", "no");
  const reason = balanceCard(page).getByLabel("Reason");
  await expect(reason).toBeFocused();
  await expect(reason).toHaveAttribute("aria-invalid", "true");
  await expect(reason).toHaveAccessibleDescription(/^Enter a reason of at least 3 characters/);
  await adjust(page, "topup", "30", "Bank transfer 881");
  await expect(page.getByText("Balance adjusted. New balance: $30.00.")).toBeVisible();
  await adjust(page, "debit", "30.01", "Too much");
  await expect(page.getByRole("alert")).toHaveText("The balance doesn't cover this debit.");
  await expect(page.getByRole("alert")).toBeFocused();
  await page.getByLabel("Amount in USD").fill("10");
  await page.getByRole("button", { name: "Adjust balance" }).click();
  await expect(page.getByText("Balance adjusted. New balance: $20.00.")).toBeVisible();
  await expect(page.getByRole("group", { name: "Transactions" })).toContainText("Bank transfer 881");
});

async function adjust(page: Page, direction: string, amount: string, reason: string): Promise<void> {
  await page.getByLabel("Type", { exact: true }).selectOption(direction);
  await page.getByLabel("Amount in USD").fill(amount);
  await balanceCard(page).getByLabel("Reason").fill(reason);
  await page.getByRole("button", { name: "Adjust balance" }).click();
}

/** The card of the balance: the one of the account's access has a reason of its own. */
function balanceCard(page: Page) {
  return page.getByRole("region", { name: "Adjust balance" });
}

/** Places an order whose submission fails with HTTP 500, and waits until it is held. */
async function heldOrder(page: Page, copy: LocalCopy): Promise<number> {
  const placed = await api(copy, {
    action: "add",
    service: "1",
    link: sandboxLink("500"),
    quantity: "1000",
  });
  const storageState = await sessionOf(page.context().browser(), copy, "admin");
  const staff = await request.newContext({ baseURL: copy.url, storageState });
  const readOrder = async () => (await staff.get(`/admin/orders/${placed.order}`)).text();
  await expect.poll(readOrder).toContain("Resolve held order");
  await staff.dispose();
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
