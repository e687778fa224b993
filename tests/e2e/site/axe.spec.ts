import { auditPageAt, auditThemes, OTHER_LOCALE } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, sessionOf, test } from "#tests/e2e/fixtures.ts";
import { bubbles, newPage, say, startChat } from "#tests/e2e/support/chat-steps.ts";
import { listPages, pagePaths } from "#tools/pages/page-list.ts";

/** Stands for every id: the pages here have none in their path. */
const ANY_ID = { value: "any", enumerable: true, configurable: true };
const PAGES = listPages(new Proxy({}, { get: () => ANY_ID.value, getOwnPropertyDescriptor: () => ANY_ID }));
/** The first page of each role. axe.nightly.spec.ts audits all of them. */
const FIRST = PAGES.filter(({ who }, index) => PAGES.findIndex((page) => page.who === who) === index);

test("checks every page of app/routes.ts", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
});

for (const { path, who } of FIRST) {
  test(`finds no axe violations on ${path}, the first page of a ${who}, in another locale`, async ({
    browser,
    copy,
  }) => {
    const storageState = who === "visitor" ? undefined : await sessionOf(browser, copy, who);
    const page = await newPage(browser, copy, { ...OTHER_LOCALE, storageState });
    await auditPageAt(page, path);
  });
}

test("finds no axe violations on the offline screen and in the open chat", async ({ page }) => {
  allowConsole(page, /ERR_|WebSocket|Failed to load/);
  await startChat(page, "Ada");
  await say(page, "Where is my order?");
  await expect(bubbles(page)).toHaveCount(2);
  await auditThemes(page, "the chat");
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await auditThemes(page, "the offline screen");
});
