import type { Page } from "@playwright/test";
import { expect } from "#tests/e2e/fixtures.ts";

/** Chooses a service by the search of the order form. */
export async function choose(page: Page, name: string): Promise<void> {
  const field = page.getByLabel("Find a service", { exact: true });
  await field.fill(name);
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toContainText(name);
  await field.press("Enter");
  await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
}

/** Fills the form in for that service, and places nothing yet. */
export async function fillOrder(page: Page, order: { service: string; link: string; quantity: string }): Promise<void> {
  await choose(page, order.service);
  await page.getByLabel("Link", { exact: true }).fill(order.link);
  await page.getByLabel("Quantity").fill(order.quantity);
}

/** In units of the currency, as the dashboard shows it now. */
export async function shownBalance(page: Page): Promise<number> {
  const text = await page.getByRole("link", { name: /Balance/ }).textContent();
  return Number(text?.replaceAll(/[^\d.]/g, ""));
}
