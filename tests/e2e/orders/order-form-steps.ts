import type { Locator, Page } from "@playwright/test";
import { expect } from "#tests/e2e/fixtures.ts";

/** Chooses a service with the order form's search. */
export async function choose(page: Page, name: string): Promise<void> {
  const field = page.getByLabel("Find a service", { exact: true });
  await field.fill(name);
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toContainText(name);
  await field.press("Enter");
  await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
}

/** Fills in the order form for that service without placing the order. */
export async function fillOrder(page: Page, order: { service: string; link: string; quantity: string }): Promise<void> {
  await choose(page, order.service);
  await page.getByLabel("Link", { exact: true }).fill(order.link);
  await page.getByLabel("Quantity").fill(order.quantity);
}

/** Returns the balance that the dashboard shows, in units of the currency. */
export async function shownBalance(page: Page): Promise<number> {
  const text = await page.getByRole("link", { name: /Balance/ }).textContent();
  return Number(text?.replaceAll(/[^\d.]/g, ""));
}

/** Returns a cell of the mass order's sheet. Lines count from 1. */
export function massCell(page: Page, column: string, line: number): Locator {
  return page.getByRole("textbox", { name: `${column}, line ${line}`, exact: true });
}
