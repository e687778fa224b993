import type { BrowserContext, Page } from "@playwright/test";
import { auditPage, auditThemes, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { allowConsole, test as base, expect, sessionOf } from "#tests/e2e/fixtures.ts";
import { bubbles, say, startChat } from "#tests/e2e/support/chat-steps.ts";
import { fillDemo } from "#tools/demo/fill-demo.ts";
import { type ListedPage, listPages, pagePaths, type Samples } from "#tools/pages/page-list.ts";

/** Sample ids come with the copy, which starts after the tests are named. */
const ANY_SAMPLE = { value: "one-of-them", enumerable: true, configurable: true };
const PAGES = listPages(new Proxy({}, { get: () => ANY_SAMPLE.value, getOwnPropertyDescriptor: () => ANY_SAMPLE }));

/** Differs from the server's, so that a hydration mismatch logs a console error, which fails the test. */
const OTHER_LOCALE = { locale: "de-DE", timezoneId: "Asia/Kathmandu" };

// The longest file. In parallel, no worker ends minutes after the others.
base.describe.configure({ mode: "parallel" });

type Contexts = Record<ListedPage["who"], BrowserContext>;

/**
 * `samples`: of a copy filled so that no page is empty. Other tests count what they made, so they use a different one.
 * `contexts`: one for each role, because a browser context of its own would load the scripts again for each page.
 */
const test = base.extend<object, { samples: Samples; contexts: Contexts }>({
  samples: [async ({ copy }, use) => use(await fillDemo(copy.demo)), { scope: "worker", timeout: 120_000 }],
  contexts: [
    async ({ browser, copy }, use) => {
      const open = async (who: ListedPage["who"]) => {
        const storageState = who === "visitor" ? undefined : await sessionOf(browser, copy, who);
        return browser.newContext({ baseURL: copy.url, ...OTHER_LOCALE, storageState });
      };
      const contexts = {
        visitor: await open("visitor"),
        customer: await open("customer"),
        agent: await open("agent"),
        admin: await open("admin"),
      };
      await use(contexts);
      for (const context of Object.values(contexts)) await context.close();
    },
    // Set up before the first test, because a context that a test opens ends with it.
    { scope: "worker", auto: true },
  ],
});

test("checks every page of app/routes.ts", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
});

for (const [index, { path, who }] of PAGES.entries()) {
  const isFirst = PAGES.findIndex((page) => page.who === who) === index;
  const tag = isFirst ? [] : "@nightly";
  const title = `finds no axe violations on ${path} in both themes, on phone and desktop, in another locale`;
  test(title, { tag }, async ({ contexts, samples }) => {
    const page = await contexts[who].newPage();
    if (path.endsWith("/nowhere")) allowConsole(page, /404/);
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

async function check(page: Page, path: string): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(path.endsWith("/nowhere") ? 404 : 200);
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
