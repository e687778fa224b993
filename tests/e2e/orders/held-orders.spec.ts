import { type Page, request } from "@playwright/test";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, sessionOf, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

test("finds an order by its link, and tells its timeline", async ({ page, copy }) => {
  const { order, link } = await heldOrder(page, copy);
  await signIn(page, copy, "admin", "/admin/orders");
  await page.getByLabel("Search").fill(link.replace("https://", "http://www."));
  await page.keyboard.press("Enter");
  await page.waitForURL(`/admin/orders/${order}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  // The address is there before what it shows.
  await expect(timeline.getByRole("listitem").filter({ hasText: "Held." })).toBeVisible();
  const told = await timeline.getByRole("listitem").allTextContents();
  const at = (text: string) => told.findIndex((line) => line.includes(text));
  // The newest first.
  expect(at("Held.")).toBeGreaterThanOrEqual(0);
  expect(at("Held.")).toBeLessThan(at("Sent to"));
  expect(at("Sent to")).toBeLessThan(at("Placed through the API and charged $2.40"));
  await auditPage(page, "the order's page");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "the order's page");
});

test("filters held orders by the reason, and cancels and refunds five together", async ({ page, copy }) => {
  test.slow();
  const held: number[] = [];
  for (let n = 0; n < 5; n++) {
    // Several unclear answers in a row would stop all calls for a while.
    await orderIn(page, copy, sandboxLink(null, crypto.randomUUID()), "Compare now");
    held.push((await heldOrder(page, copy)).order);
  }
  const before = await balance(copy);
  await signIn(page, copy, "admin", "/admin/orders");
  await page.getByLabel("Held because").selectOption({ label: "Sending was cut off" });
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/held=cut_off/);
  // "No held orders" would not be true.
  await expect(page.getByText("No orders here")).toBeVisible();
  await page.getByLabel("Held because").selectOption({ label: "Unclear answer" });
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/held=unclear_answer/);
  for (const order of held) await page.getByRole("checkbox", { name: `Select row ${order}`, exact: true }).check();
  await expect(page.getByText("5 selected")).toBeVisible();
  await auditPage(page, "the list of held orders");
  await page.getByRole("link", { name: "Cancel and refund…" }).click();
  await expect(page.getByRole("heading", { name: "Decide on 5 orders" })).toBeVisible();
  await expect(page.getByText("Charged $12.00. We refund $12.00.")).toBeVisible();
  await auditPage(page, "the preview of a decision");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "the preview of a decision");
  await page.getByLabel("Reason").fill("The provider was down");
  await page.getByRole("button", { name: "Cancel and refund 5 orders" }).click();
  await expect(page.getByText("Canceled 5 orders and refunded $12.00.")).toBeVisible();
  expect((await balance(copy)) - before).toBeCloseTo(12, 6);
  await page.goto(`/admin/orders/${held[0]}`);
  await expect(page.getByRole("region", { name: "Timeline" })).toContainText(
    "canceled and refunded, together with others",
  );
});

test("compares an order with its provider", async ({ page, copy }) => {
  const placed = await api(copy, {
    action: "add",
    service: "1",
    link: sandboxLink(null, `compare-${Date.now()}`),
    quantity: "1000",
  });
  await signIn(page, copy, "admin", `/admin/orders/${placed.order}`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("button", { name: "Compare now" })).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.getByRole("button", { name: "Compare now" }).click();
  await expect(page.getByRole("group", { name: "Here and at the provider" })).toContainText("Remains");
  await expect(page.getByRole("button", { name: "Ask again" })).toBeVisible();
  await auditPage(page, "the comparison");
});

/** Places an order that the provider accepts as number 0, which is no failure of the provider, and waits until it is held. */
async function heldOrder(page: Page, copy: LocalCopy): Promise<{ order: number; link: string }> {
  const link = sandboxLink("zero", crypto.randomUUID());
  return { order: await orderIn(page, copy, link, "Resolve held order"), link };
}

/** Places an order, and waits until its page has the text. */
async function orderIn(page: Page, copy: LocalCopy, link: string, text: string): Promise<number> {
  const placed = await api(copy, { action: "add", service: "1", link, quantity: "1000" });
  const storageState = await sessionOf(page.context().browser(), copy, "admin");
  const staff = await request.newContext({ baseURL: copy.url, storageState });
  const hasText = async () => (await (await staff.get(`/admin/orders/${placed.order}`)).text()).includes(text);
  await expect.poll(hasText).toBe(true);
  await staff.dispose();
  return Number(placed.order);
}

async function balance(copy: LocalCopy): Promise<number> {
  return Number((await api(copy, { action: "balance" })).balance);
}

async function api(copy: LocalCopy, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, ...fields });
  return (await fetch(`${copy.url}/api/v2`, { method: "POST", body })).json() as Promise<Record<string, unknown>>;
}
