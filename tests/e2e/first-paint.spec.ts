import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

const PUBLIC = ["/", "/api/docs", "/auth/login", "/privacy-policy"];

// As Lighthouse looks at them.
test.use({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true });

for (const path of PUBLIC) {
  test(`nothing moves on ${path} while it comes`, async ({ page }) => {
    // It comes last: only the style sheet says that it is needed.
    const { promise: painted, resolve: codeMayCome } = Promise.withResolvers<void>();
    await page.route("**/geist-mono-*.woff2", async (route) => {
      await painted;
      await route.continue();
    });
    await page.goto(path, { waitUntil: "commit" });
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    codeMayCome();
    await page.waitForLoadState();
    await isAlive(page);
    await page.evaluate(() => document.fonts.ready);
    expect(await shifts(page)).toEqual([]);
  });
}

test("a click in the moment in which a page comes to life is taken", async ({ page }) => {
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = (...added: Parameters<typeof addEventListener>) => {
      addEventListener.apply(document, added);
      if (added[0] !== "click") return;
      document.addEventListener = addEventListener;
      // Once React listens, and before it has drawn anything.
      queueMicrotask(() => document.querySelector<HTMLElement>('[aria-label="Use the light theme"]')?.click());
    };
  });
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Use the dark theme" })).toBeVisible();
});

/** The scripts run: the button of the theme does something. */
async function isAlive(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole("button", { name: "Use the light theme" }).click({ timeout: 1000 });
    await expect(page.getByRole("button", { name: "Use the dark theme" })).toBeVisible({ timeout: 1000 });
  }).toPass();
}

function shifts(page: Page): Promise<unknown[]> {
  return page.evaluate(
    () =>
      new Promise<unknown[]>((resolve) => {
        const found: unknown[] = [];
        new PerformanceObserver((list) => found.push(...list.getEntries().map((entry) => entry.toJSON()))).observe({
          type: "layout-shift",
          buffered: true,
        });
        // What has been observed before is told as a task of its own.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(found)));
      }),
  );
}
