import type { Page } from "@playwright/test";
import { allowConsole, expect, holdScripts, test } from "#tests/e2e/fixtures.ts";

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

test.describe("on a page that is not painted", () => {
  test.beforeEach(({ page }) =>
    page.addInitScript(() => {
      window.PerformanceObserver = class extends PerformanceObserver {
        override observe() {}
      };
      // Nor does it wait for that any longer.
      const { setTimeout } = window;
      window.setTimeout = ((done: () => void, ms?: number) =>
        setTimeout(done, ms === 2000 ? 2 ** 31 - 1 : ms)) as typeof window.setTimeout;
    }),
  );

  test("scripts are fetched as soon as it goes to the background", async ({ page }) => {
    await page.goto("/");
    expect(await scriptCount(page)).toBe(0);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await isAlive(page);
    expect(await scriptCount(page)).toBeGreaterThan(3);
  });

  test.describe("in the shell", () => {
    test.use({ userAgent: "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) Chrome/142 Mobile GrowlineShell" });

    test("scripts are fetched at once", async ({ page }) => {
      await page.goto("/onboarding");
      expect(await scriptCount(page)).toBeGreaterThan(3);
    });
  });
});

test.describe("before its scripts are there", () => {
  let scriptsMayCome: () => void;

  test.beforeEach(async ({ page }) => {
    scriptsMayCome = await holdScripts(page);
  });

  const open = (page: Page, path: string) => page.goto(path, { waitUntil: "domcontentloaded" });

  test("a click on the chat's button opens the chat once they are", async ({ page }) => {
    await open(page, "/");
    await page.getByRole("button", { name: "Open support chat" }).click();
    scriptsMayCome();
    await page.getByLabel("Your name").fill("Early Bird");
  });

  test("a button that is pressed until it answers is pressed once", async ({ page }) => {
    await open(page, "/");
    const toDark = page.getByRole("button", { name: "Use the dark theme" });
    const toLight = page.getByRole("button", { name: "Use the light theme" });
    await toLight.click();
    await toLight.press("Enter");
    scriptsMayCome();
    await expect(toDark).toBeVisible();
    await toDark.click();
    await expect(toLight).toBeVisible();
  });

  test("the network that was chosen last is what the calculator shows", async ({ page }) => {
    await open(page, "/");
    const calculator = page.getByRole("form", { name: "Price of an order" });
    const networks = calculator.getByRole("radio");
    await networks.nth(1).check({ force: true });
    await networks.nth(2).check({ force: true });
    scriptsMayCome();
    const chosen = (await networks.nth(2).getAttribute("value")) ?? "";
    await expect(networks.nth(2)).toBeChecked();
    await expect(calculator.getByLabel("Service").locator("option").first()).toContainText(chosen);
  });

  test("a typed quantity and a chosen service are what the calculator counts with", async ({ page }) => {
    await open(page, "/");
    const calculator = page.getByRole("form", { name: "Price of an order" });
    const quantity = calculator.getByLabel("Quantity");
    const second = calculator.getByLabel("Service").locator("option").nth(1);
    const service = (await second.getAttribute("value")) ?? "";
    const before = (await calculator.getByRole("button", { name: /^Order/ }).textContent()) ?? "";
    await calculator.getByLabel("Service").selectOption(service);
    await quantity.fill("77");
    await quantity.press("ArrowLeft");
    scriptsMayCome();
    await expect(calculator.getByRole("button", { name: /^Order/ })).not.toHaveText(before);
    // The caret has stayed where it was.
    await quantity.pressSequentially("0");
    await expect(quantity).toHaveValue("707");
    await calculator.getByRole("button", { name: /^Order/ }).click();
    await page.waitForURL(/\/auth\/signup/);
    const next = new URL(new URL(page.url()).searchParams.get("redirectTo") ?? "", page.url());
    expect(Object.fromEntries(next.searchParams)).toEqual({ service, quantity: "707" });
  });

  test("links and buttons of forms do their work without them", async ({ page }) => {
    await open(page, "/");
    await page.getByLabel("Quantity").fill("777");
    await page.getByRole("button", { name: /^Order/ }).click();
    await page.waitForURL(/\/auth\/login\?redirectTo=.*777/);
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.waitForURL(/\/auth\/signup/);
  });

  test("who types again after a refused sign-in is left where they write", async ({ page }) => {
    allowConsole(page, /status of 400/);
    await open(page, "/auth/login");
    await page.getByLabel("Email address").fill("nobody@test.example");
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Log in" }).click();
    await expect(page.getByRole("alert")).toBeFocused();
    await page.getByLabel("Password", { exact: true }).focus();
    scriptsMayCome();
    await page.waitForLoadState("networkidle");
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("a screen of the introduction that was swiped to is the one it stands at", async ({ page }) => {
    await open(page, "/onboarding");
    const strip = page.getByRole("group", { name: "Introduction" });
    await strip.evaluate((box) => box.scrollTo({ left: 3 * box.clientWidth }));
    scriptsMayCome();
    await expect(page.getByRole("img", { name: "Screen 4 of 4" })).toBeVisible();
  });
});

test("a click in the moment in which a page comes to life does not end it", async ({ page }) => {
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = (...added: Parameters<typeof addEventListener>) => {
      addEventListener.apply(document, added);
      if (added[0] !== "click") return;
      document.addEventListener = addEventListener;
      // Once React listens, and before it has drawn anything.
      queueMicrotask(() => document.querySelector("main")?.click());
    };
  });
  await page.goto("/");
  await isAlive(page);
});

/** The scripts run: what the button of the theme was pressed for is done. */
async function isAlive(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Use the light theme" }).click();
  await expect(page.getByRole("button", { name: "Use the dark theme" })).toBeVisible();
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
