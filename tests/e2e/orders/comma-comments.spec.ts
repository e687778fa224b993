import type { Page } from "@playwright/test";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";
import { choose } from "./order-form-steps.ts";

test("says the rule about commas in the order form once staff tick that the provider splits there", {
  tag: "@nightly",
}, async ({ page, copy, browser }) => {
  await signIn(page, copy, "admin", "/admin/providers/1");
  await page.getByLabel("Splits comments at commas").check();
  await look(page, "the form of a provider");
  await page.getByRole("button", { name: "Save provider" }).click();
  await expect(page.getByText("Provider saved.")).toBeVisible();

  const context = await browser.newContext({ baseURL: copy.url });
  const customer = await context.newPage();
  allowConsole(customer, /status of 400/);
  await signIn(customer, copy, "customer");
  await choose(customer, "Instagram comments, your own text");
  const comments = customer.getByLabel("Comments", { exact: true });
  await expect(comments).toHaveAccessibleDescription(/^One comment per line\. Comments can't contain commas\. From 5/);
  await look(customer, "an order form that takes no commas");
  await customer
    .getByLabel("Link", { exact: true })
    .fill(`https://www.instagram.com/p/${crypto.randomUUID().slice(0, 8)}/`);
  await comments.fill("Nice\nGreat, thanks\nWow\nSo good\nLove it");
  await customer.setViewportSize({ width: 390, height: 844 });
  await customer.getByRole("button", { name: /Place order/ }).click();
  await expect(comments).toBeFocused();
  await expect(comments).toHaveAccessibleDescription(
    /Comments for this service can't contain commas\. Remove the comma from “Great, thanks”\./,
  );
  expect(await customer.getByText(/Remove the comma from/).evaluate(isUncovered)).toBe(true);
  await look(customer, "a refused comma");
  await comments.fill("Nice\nGreat\nWow\nSo good\nLove it");
  await customer.getByRole("button", { name: /Place order/ }).click();
  await expect(customer.getByText(/Order \d+ placed/)).toBeVisible();
  await context.close();
});

/** Returns whether nothing lies over the text of an element, such as the block that sticks to the window's bottom. */
function isUncovered(element: Element): boolean {
  const { left, top, bottom } = element.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint(left + 4, y)));
}

async function look(page: Page, what: string): Promise<void> {
  await auditPage(page, what);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, what);
  }
}
