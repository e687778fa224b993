import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, untilHydrated } from "./fixtures.ts";

/** `npm test` audits a phone in the dark theme, and `npm run test:all` every width in both. */
const IS_CORE = process.env.TEST_TIER === "core";
const WIDTHS = IS_CORE ? [390] : [390, 1280];
const THEMES = IS_CORE ? (["dark"] as const) : (["dark", "light"] as const);
/** Nothing else depends on the theme, so the second theme is checked for these rules alone. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** Differs from the server's, so that a hydration mismatch logs a console error, which fails the test. */
export const OTHER_LOCALE = { locale: "de-DE", timezoneId: "Asia/Kathmandu" };
const OTHER_WIDTHS = [360, 768, 1920];

/** Opens the page at `path` and audits it. */
export async function auditPageAt(page: Page, path: string): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(path.endsWith("/nowhere") ? 404 : 200);
  await settled(page);
  await auditPage(page, path);
  for (const width of OTHER_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, `${path} at ${width} px`);
  }
}

/** Waits until the page is hydrated and nothing on it is loading. */
async function settled(page: Page): Promise<void> {
  await untilHydrated(page);
  await page.evaluate(() => document.fonts.ready);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

/** Expects no axe violation and no overflow in each theme and at each width. */
export async function auditPage(page: Page, where: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await auditThemes(page, `${where} at ${width} px`);
  }
}

/** Expects the same in each theme at the page's present size. */
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
