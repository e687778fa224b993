import type { BrowserContext } from "@playwright/test";
import { auditPageAt, OTHER_LOCALE } from "#tests/e2e/axe-audit.ts";
import { allowConsole, test as base, sessionOf } from "#tests/e2e/fixtures.ts";
import { fillDemo } from "#tools/demo/fill-demo.ts";
import { type ListedPage, listPages, type Samples } from "#tools/pages/page-list.ts";

/** Sample ids come with the copy, which starts after the tests are named. */
const ANY_SAMPLE = { value: "one-of-them", enumerable: true, configurable: true };
const PAGES = listPages(new Proxy({}, { get: () => ANY_SAMPLE.value, getOwnPropertyDescriptor: () => ANY_SAMPLE }));

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

for (const [index, { path, who }] of PAGES.entries()) {
  test(`finds no axe violations on ${path} in both themes, on phone and desktop, in another locale`, async ({
    contexts,
    samples,
  }) => {
    const page = await contexts[who].newPage();
    if (path.endsWith("/nowhere")) allowConsole(page, /404/);
    await auditPageAt(page, listPages(samples)[index]?.path ?? "");
    await page.close();
  });
}
