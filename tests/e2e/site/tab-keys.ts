import { expect, type Locator, type Page } from "@playwright/test";

const MAX_TABS = 80;

/** Presses Tab until the target has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  // Tab passes by what still waits for its script.
  await expect(target).toBeEnabled();
  for (let step = 0; step < MAX_TABS; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${target} is not reached in ${MAX_TABS} presses of Tab`);
}
