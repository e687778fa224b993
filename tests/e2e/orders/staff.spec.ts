import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, request } from "@playwright/test";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import {
  allowConsole,
  expect,
  otherPage,
  sessionOf,
  signIn,
  signUpByRequest,
  test,
  untilHydrated,
} from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";

test("finds a held order by its link, shows it to an agent, refunds it once and logs who did what and why", async ({
  page,
  browser,
  copy,
}) => {
  const { order, link } = await heldOrder(page, copy);
  const before = await balance(copy);
  await signIn(page, copy, "admin", "/admin/orders");
  await page.getByLabel("Search").fill(link.replace("https://", "http://www."));
  await page.keyboard.press("Enter");
  await page.waitForURL(`/admin/orders/${order}`);
  const timeline = page.getByRole("region", { name: "Timeline" });

  await test.step("tells its timeline, the newest first", async () => {
    // The address is there before what it shows.
    await expect(timeline.getByRole("listitem").filter({ hasText: "Held." })).toBeVisible();
    const told = await timeline.getByRole("listitem").allTextContents();
    const at = (text: string) => told.findIndex((line) => line.includes(text));
    expect(at("Held.")).toBeGreaterThanOrEqual(0);
    expect(at("Held.")).toBeLessThan(at("Sent to"));
    expect(at("Sent to")).toBeLessThan(at("Placed through the API and charged $2.40"));
    await expect(timeline).toContainText("Internal Server Error");
    await expect(timeline).toContainText("The provider's answer doesn't say whether it took the order.");
    await auditPage(page, "the order's page");
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoOverflow(page, "the order's page");
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await test.step("lets agents read it but change nothing, and hides the admin pages from them", async () => {
    const agent = await otherPage(browser, copy, "agent", `/admin/orders/${order}`);
    await expect(agent.getByRole("heading", { name: `Order ${order}` })).toBeVisible();
    await expect(agent.getByRole("button", { name: /Set|Refund|Cancel/ })).toHaveCount(0);
    for (const path of ["services", "providers", "customers", "payments", "codes", "emails", "audit"]) {
      expect((await agent.request.get(`/admin/${path}`)).status(), path).toBe(404);
    }
    const response = await agent.request.post(`/admin/orders/${order}`, {
      form: { intent: "status", status: "Completed", remains: "0", reason: "I try" },
      headers: { Origin: copy.url },
    });
    expect(response.status()).toBe(404);
    await agent.context().close();
  });

  const late = await page.context().newPage();
  await late.goto(`/admin/orders/${order}`);
  await untilHydrated(late);
  const refund = (at: Page) => at.getByRole("button", { name: "Cancel and refund $2.40" });
  await test.step("refuses a refund without a reason", async () => {
    await page.getByLabel(/didn't accept it/).check();
    allowConsole(page, /status of 400/);
    await refund(page).click();
    await expect(page.getByLabel("Reason").first()).toHaveAccessibleDescription(/Enter a reason/);
    expect(await balance(copy)).toBe(before);
  });

  await test.step("refunds the order", async () => {
    await page.getByLabel("Reason").first().fill("Not in their panel");
    await refund(page).click();
    await expect(page.getByText(`Order ${order} canceled and refunded.`)).toBeVisible();
    await expect(timeline).toContainText("Not in their panel");
    expect((await balance(copy)) - before).toBeCloseTo(2.4, 6);
    expect(await status(copy, order)).toMatchObject({ status: "Canceled" });
  });

  await test.step("shows the current order to an admin who decides too late", async () => {
    allowConsole(late, /status of 409/);
    await late.getByLabel(/didn't accept it/).check();
    await late.getByLabel("Reason").first().fill("I think so too");
    await refund(late).click();
    await expect(refund(late)).toHaveCount(0);
    await expect(late.getByRole("alert")).toContainText("This order is no longer held.");
    await expect(late.getByText(/\$2\.40 refunded/)).toBeVisible();
    await expect(late.getByRole("region", { name: "Timeline" })).toContainText("Not in their panel");
    expect((await balance(copy)) - before).toBeCloseTo(2.4, 6);
  });

  await openFromMenu(page, "System", "Audit log");
  const entry = page.getByRole("row", { name: new RegExp(`order ${order}\\b`) });
  await expect(entry).toContainText(
    `Demo Admin resolved order ${order} as not accepted by the provider, and refunded it`,
  );
});

test("imports the ticked services, and lays a hundredfold price before the admin", { tag: "@nightly" }, async ({
  page,
  browser,
  copy,
}) => {
  const folder = await mkdtemp(join(tmpdir(), "provider-"));
  const key = "key-of-the-changing-provider";
  const catalog = [offered("501", "Threads boosts", "1.00"), offered("502", "Threads views", "2.00")];
  const provider = await startSandboxProvider({ key, file: join(folder, "orders.jsonl"), services: catalog });
  const shownRate = async () => {
    const response = await page.request.post("/api/v2", {
      form: { key: copy.demo.customer.apiKey, action: "services" },
    });
    const services = (await response.json()) as { name: string; rate: string }[];
    return services.find(({ name }) => name === "Threads boosts")?.rate;
  };
  try {
    await signIn(page, copy, "admin", "/admin/providers");
    await page.getByLabel("Name", { exact: true }).fill("Changing");
    await page.getByLabel("API URL").fill(provider.url);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.waitForURL(/providers\/\d+$/);
    const providerPage = page.url();
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect(page.getByText("Balance: 1000000.00 USD")).toBeVisible();
    expect(await page.content()).not.toContain(key);
    await page.getByLabel("Margin in percent").fill("50");
    await page.getByRole("button", { name: "Add rule" }).click();
    await expect(page.getByText("50% margin")).toBeVisible();

    await page.getByRole("button", { name: "Preview changes" }).click();
    await expect(page.getByRole("row", { name: /Threads boosts/ })).toContainText("$2.00");
    const added = page.getByRole("group", { name: "New, services" });
    await expect(added.getByRole("row", { name: /Threads views/ })).toContainText("$4.00");
    const views = page.getByRole("checkbox", { name: "Import 502: Threads views" });
    await untilHydrated(page);
    // The keys of every list: the second row, and its box.
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await expect(views).not.toBeChecked();
    await page.getByRole("button", { name: "Tick all: New" }).click();
    await expect(views).toBeChecked();
    await views.uncheck();
    await page.getByRole("button", { name: "Import 1 service" }).click();
    await expect(page.getByText("Catalog imported: 1 added off sale.")).toBeVisible();
    await expect(page.getByRole("group", { name: "Audit log" })).toContainText("1 added");
    await page.goto("/admin/services?state=disabled&q=threads");
    await expect(page.getByText("Threads views")).toHaveCount(0);
    await page.getByLabel("Select all rows on this page").check();
    await page.getByRole("link", { name: "Change 1…" }).click();
    await page.getByRole("link", { name: "Put on sale" }).click();
    await page.getByRole("button", { name: "Put 1 service on sale" }).click();
    await expect(page.getByText("Changed 1 service.")).toBeVisible();
    expect(await shownRate()).toBe("2.00");

    catalog[0] = offered("501", "Threads boosts", "100.00");
    await page.goto(providerPage);
    await page.getByRole("button", { name: "Run the nightly comparison" }).click();
    await expect(page.getByText("1 waits for your decision. 1 is off sale until then.")).toBeVisible();
    expect(await shownRate()).toBeUndefined();
    await page.getByRole("link", { name: "1 change of its catalog waits for your decision" }).click();
    await page.waitForURL(/quarantine\?provider=/);
    const waiting = page.getByRole("region", { name: "Waiting changes" }).getByRole("row", { name: /Threads boosts/ });
    await expect(waiting).toContainText("Implausible price");
    await expect(waiting).toContainText("$200.00");
    await expect(waiting).toContainText("-4,900.0%");
    const take = page.getByRole("button", { name: "Take the new price" });
    await expect(take).toBeHidden();
    const filtered = page.url();
    await page.getByRole("link", { name: "Select all 1 that match" }).click();
    await expect(page.getByText("All 1 that match selected")).toBeVisible();
    await waiting.getByRole("checkbox").uncheck();
    await expect(take).toBeHidden();
    await waiting.getByRole("checkbox").check();
    await expect(page.getByText("1 selected")).toBeVisible();
    const storageState = await page.context().storageState();
    const plain = await browser.newContext({ baseURL: copy.url, storageState, javaScriptEnabled: false });
    const plainPage = await plain.newPage();
    await plainPage.goto(filtered);
    const box = plainPage.getByRole("row", { name: /Threads boosts/ }).getByRole("checkbox");
    await box.check();
    await expect(box).toHaveAttribute("name", "pick");
    await expect(plainPage.locator(`form[id="${await box.getAttribute("form")}"]`)).toContainText("Take the new price");
    await expect(plainPage.getByRole("button", { name: "Take the new price" })).toBeVisible();
    await plain.close();
    await take.click();
    await expect(page.getByText("New prices taken for 1 service.")).toBeVisible();
    await expect(page.getByText("No waiting change matches")).toBeVisible();
    expect(await shownRate()).toBe("200.00");
  } finally {
    await provider.close();
    await rm(folder, { recursive: true });
  }
});

/** An entry of a provider's catalog. */
function offered(service: string, name: string, rate: string): object {
  return { service, name, category: "Threads", type: "Default", rate, min: "10", max: "1000" };
}

test("finds, credits and debits a customer, but never below zero", { tag: "@nightly" }, async ({
  page,
  copy,
  browser,
}) => {
  const theirs = await (await browser.newContext({ baseURL: copy.url })).newPage();
  const email = await signUpByRequest(theirs);
  await theirs.context().close();
  await signIn(page, copy, "admin", "/admin/customers");
  await page.getByLabel("Search").fill(email.slice(0, 18));
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: email }).click();
  await page.waitForURL(/customers\/[\w-]{22}/);
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
async function heldOrder(page: Page, copy: LocalCopy): Promise<{ order: number; link: string }> {
  const link = sandboxLink("500", crypto.randomUUID());
  const placed = await api(copy, { action: "add", service: "1", link, quantity: "1000" });
  const storageState = await sessionOf(page.context().browser(), copy, "admin");
  const staff = await request.newContext({ baseURL: copy.url, storageState });
  const readOrder = async () => (await staff.get(`/admin/orders/${placed.order}`)).text();
  await expect.poll(readOrder).toContain("Resolve held order");
  await staff.dispose();
  return { order: Number(placed.order), link };
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
