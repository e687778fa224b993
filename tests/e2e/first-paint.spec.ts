import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";

const PUBLIC = ["/", "/api/docs", "/auth/login", "/privacy-policy"];

// As Lighthouse looks at them.
test.use({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true });

for (const path of PUBLIC) {
  test(`on ${path} scripts are fetched once the page has been painted, and nothing in it moves`, async ({ page }) => {
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
    const { paintedAt, scripts } = await page.evaluate(() => ({
      paintedAt: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.POSITIVE_INFINITY,
      scripts: performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")),
    }));
    expect(scripts.length).toBeGreaterThan(3);
    for (const script of scripts) expect(script.startTime).toBeGreaterThan(paintedAt);
    await page.evaluate(() => document.fonts.ready);
    expect(await shifts(page)).toEqual([]);
  });
}

test("a page that goes to the background before it was painted gets its scripts at once", async ({ page }) => {
  await page.addInitScript(() => {
    // Never painted, and nobody waits for that.
    window.PerformanceObserver = class extends PerformanceObserver {
      override observe() {}
    };
    const { setTimeout } = window;
    window.setTimeout = ((done: () => void, ms?: number) =>
      setTimeout(done, ms === 2000 ? 2 ** 31 - 1 : ms)) as typeof window.setTimeout;
  });
  await page.goto("/");
  expect(await scriptCount(page)).toBe(0);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await isAlive(page);
  expect(await scriptCount(page)).toBeGreaterThan(3);
});

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

function scriptCount(page: Page): Promise<number> {
  return page.evaluate(
    () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).length,
  );
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
