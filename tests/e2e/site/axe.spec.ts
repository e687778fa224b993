import { auditPageAt, OTHER_LOCALE } from "#tests/e2e/axe-audit.ts";
import { expect, sessionOf, test } from "#tests/e2e/fixtures.ts";
import { newPage } from "#tests/e2e/support/chat-steps.ts";
import { listPages, pagePaths } from "#tools/pages/page-list.ts";

/** Stands for every id: the pages here have none in their path. */
const ANY_ID = { value: "any", enumerable: true, configurable: true };
const PAGES = listPages(new Proxy({}, { get: () => ANY_ID.value, getOwnPropertyDescriptor: () => ANY_ID }));
/** The first page of each role. `npm test` audits the customer's, which has most kinds of parts, and axe.nightly.spec.ts all pages. */
const FIRST = PAGES.filter(({ who }, index) => PAGES.findIndex((page) => page.who === who) === index);
const AUDITED = process.env.TEST_TIER === "core" ? FIRST.filter(({ who }) => who === "customer") : FIRST;

test("finds no axe violations on a customer's first page, in another locale", async ({ browser, copy }) => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
  expect(FIRST.map(({ who }) => who).sort()).toEqual(["admin", "agent", "customer", "visitor"]);
  for (const { path, who } of AUDITED) {
    await test.step(`${path}, of a ${who}`, async () => {
      const storageState = who === "visitor" ? undefined : await sessionOf(browser, copy, who);
      const page = await newPage(browser, copy, { ...OTHER_LOCALE, storageState });
      await auditPageAt(page, path);
      await page.context().close();
    });
  }
});
