import type { Browser, BrowserContext, Page } from "@playwright/test";
import { auditPage, auditThemes, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { allowConsole, test as base, expect, sessionOf } from "#tests/e2e/fixtures.ts";
import { bubbles, say, startChat } from "#tests/e2e/support/chat-steps.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { fillDemo } from "#tools/demo/fill-demo.ts";
import { type ListedPage, listPages, pagePaths, type Samples } from "#tools/pages/page-list.ts";

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
  await auditThemes(page, "the chat");
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await auditThemes(page, "the offline screen");
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
  await auditPage(page, path);
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
