import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures.ts";

const WIDTHS = [390, 1280];
const THEMES = ["dark", "light"] as const;
/** Nothing else depends on the theme, so the second theme is checked for these rules alone. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** Expects no axe violation and no overflow in both themes, on a phone and on a desktop. */
export async function auditPage(page: Page, where: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await auditThemes(page, `${where} at ${width} px`);
  }
}

/** Expects the same in both themes at the page's present size. */
export async function auditThemes(page: Page, where: string): Promise<void> {
  for (const theme of THEMES) {
    await setTheme(page, theme);
    await audit(page, `${where} in the ${theme} theme`, theme === "dark" ? undefined : COLOR_RULES);
  }
}

/** Sets the theme as its button does. Without motion, because axe would read colors in transition. */
async function setTheme(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen;
  }, theme);
}

async function audit(page: Page, where: string, rules?: string[]): Promise<void> {
  // Legacy mode checks one page without opening another to merge the results of frames. There are no frames.
  // The builder sends its 1.5 MB twice for every audit, though the page has kept axe since the first.
  const isThere = await page.evaluate(() => "axe" in window);
  const axe = new AxeBuilder({ page, axeSource: isThere ? ";" : undefined }).setLegacyMode(true);
  axe.options({ resultTypes: ["violations"] });
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
  expect(found, where).toEqual([]);
  await expectNoOverflow(page, where);
}

export async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${where} is wider than the window`).toBeLessThanOrEqual(0);
}
