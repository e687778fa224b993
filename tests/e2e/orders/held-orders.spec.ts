import { type Page, request } from "@playwright/test";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, sessionOf, signIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

test("filters held orders by the reason, cancels and refunds two together, and compares one with its provider", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  const held: number[] = [];
  let sent = 0;
  for (let n = 0; n < 2; n++) {
    // Several unclear answers in a row would stop all calls for a while.
    sent = await orderIn(page, copy, sandboxLink(null, crypto.randomUUID()), "Compare now");
    held.push(await heldOrder(page, copy));
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
  await expect(page.getByText("2 selected")).toBeVisible();
  await auditPage(page, "the list of held orders");
  await page.getByRole("link", { name: "Cancel and refund…" }).click();
  await expect(page.getByRole("heading", { name: "Decide on 2 orders" })).toBeVisible();
  await expect(page.getByText("Charged $4.80. We refund $4.80.")).toBeVisible();
  await auditPage(page, "the preview of a decision");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "the preview of a decision");
  await page.getByLabel("Reason").fill("The provider was down");
  await page.getByRole("button", { name: "Cancel and refund 2 orders" }).click();
  await expect(page.getByText("Canceled 2 orders and refunded $4.80.")).toBeVisible();
  expect((await balance(copy)) - before).toBeCloseTo(4.8, 6);
  await page.goto(`/admin/orders/${held[0]}`);
  await expect(page.getByRole("region", { name: "Timeline" })).toContainText(
    "canceled and refunded, together with others",
  );

  await page.goto(`/admin/orders/${sent}`);
  await page.getByRole("button", { name: "Compare now" }).click();
  await expect(page.getByRole("group", { name: "Here and at the provider" })).toContainText("Remains");
  await expect(page.getByRole("button", { name: "Ask again" })).toBeVisible();
  await auditPage(page, "the comparison");
});

/** Places an order that the provider accepts as number 0, which is no failure of the provider, and waits until it is held. */
function heldOrder(page: Page, copy: LocalCopy): Promise<number> {
  return orderIn(page, copy, sandboxLink("zero", crypto.randomUUID()), "Resolve held order");
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
