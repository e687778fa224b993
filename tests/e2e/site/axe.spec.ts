import AxeBuilder from "@axe-core/playwright";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { allowConsole, test as base, expect, sessionOf } from "#tests/e2e/fixtures.ts";
import { bubbles, say, startChat } from "#tests/e2e/support/chat-steps.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { fillDemo } from "#tools/demo/fill-demo.ts";
import { type ListedPage, listPages, pagePaths, type Samples } from "#tools/pages/page-list.ts";

const WIDTHS = [390, 1280];
const THEMES = ["dark", "light"] as const;
/** Sample ids come with the copy, which starts after the tests are named. */
const PAGES = listPages(new Proxy({}, { get: () => "one-of-them" }));

// The longest file. In parallel, no worker ends minutes after the others.
base.describe.configure({ mode: "parallel" });

/** A copy filled so that no page is empty. Other tests count what they made, so they use a different one. */
const test = base.extend<object, { samples: Samples }>({
  samples: [async ({ copy }, use) => use(await fillDemo(copy.demo)), { scope: "worker", timeout: 120_000 }],
});

test("checks every page of app/routes.ts", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
});

/** Nothing else depends on the theme, so the second theme is checked for these rules alone. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** Differs from the server's, so that a hydration mismatch logs a console error, which fails the test. */
const OTHER_LOCALE = { locale: "de-DE", timezoneId: "Asia/Kathmandu" };

/** One for each role, because a browser context of its own would load the scripts again for each page. */
const contexts = new Map<ListedPage["who"], BrowserContext>();

test.afterAll(async () => {
  for (const context of contexts.values()) await context.close();
  contexts.clear();
});

for (const [index, { path, who }] of PAGES.entries()) {
  test(`finds no axe violations on ${path} in both themes, on phone and desktop, in another locale`, async ({
    browser,
    copy,
    samples,
  }) => {
    const page = await pageOf(who, browser, copy);
    if (path === "/nowhere") allowConsole(page, /404/);
    await check(page, listPages(samples)[index]?.path ?? "");
    await page.close();
  });
}

test("finds no axe violations on the offline screen and in the open chat in both themes", async ({ page }) => {
  allowConsole(page, /ERR_|WebSocket|Failed to load/);
  await startChat(page, "Ada");
  await say(page, "Where is my order?");
  await expect(bubbles(page)).toHaveCount(2);
  for (const theme of THEMES) {
    await setTheme(page, theme);
    await audit(page, `the chat in the ${theme} theme`);
  }
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(page.getByRole("alertdialog")).toBeVisible();
  for (const theme of THEMES) {
    await setTheme(page, theme);
    await audit(page, `the offline screen in the ${theme} theme`);
  }
});

async function pageOf(who: ListedPage["who"], browser: Browser, copy: LocalCopy): Promise<Page> {
  const known = contexts.get(who);
  if (known) return known.newPage();
  const storageState = who === "visitor" ? undefined : await sessionOf(browser, copy, who);
  const context = await browser.newContext({ baseURL: copy.url, ...OTHER_LOCALE, storageState });
  contexts.set(who, context);
  return context.newPage();
}

async function check(page: Page, path: string): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(path === "/nowhere" ? 404 : 200);
  await settled(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of THEMES) {
      await setTheme(page, theme);
      await audit(page, `${path} at ${width} px in the ${theme} theme`, theme === "dark" ? undefined : COLOR_RULES);
    }
  }
  for (const width of [360, 768, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, `${path} at ${width} px`);
  }
}

/** Waits until the page is hydrated and nothing on it is loading. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("__reactContainer")));
  await page.evaluate(() => document.fonts.ready);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
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
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
  expect(found, where).toEqual([]);
  await expectNoOverflow(page, where);
}

async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${where} is wider than the window`).toBeLessThanOrEqual(0);
}
