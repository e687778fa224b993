import type { Page } from "@playwright/test";

/** Opens a page of the admins' console by its menu, without loading a document. */
export async function openFromMenu(page: Page, group: string, label: string): Promise<void> {
  const nav = page.getByRole("navigation", { name: "Console" });
  await nav.getByRole("button", { name: "All pages" }).click();
  await nav.getByRole("region", { name: group }).getByRole("link", { name: label, exact: true }).click();
}
