import type { Page } from "@playwright/test";
import { PUBLIC_PAGES } from "#app/public-pages.ts";
import {
  allowConsole,
  expect,
  holdScripts,
  sessionOf,
  signIn,
  submitLogIn,
  test,
  untilHydrated,
} from "#tests/e2e/fixtures.ts";

const PUBLIC = PUBLIC_PAGES.map(({ path }) => path);
const VISITORS = [...PUBLIC, "/onboarding", "/gmail-sync", "/upload"];
const CUSTOMERS = ["/dashboard/orders", "/dashboard/api", "/dashboard/top-up", "/dashboard/account", "/dashboard"];
const STAFF = ["/admin", "/admin/orders", "/admin/services", "/admin/providers", "/admin/settings"];

// The phone that Lighthouse emulates.
test.use({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true });

for (const path of PUBLIC) {
  // The fonts and the frame of the page are those of every other one.
  const tag = path === "/" ? [] : "@nightly";
  test(`shifts nothing on ${path} while it loads`, { tag }, async ({ page }) => {
    // The code font loads last, because only the stylesheet requests it.
    const { promise: painted, resolve: releaseCodeFont } = Promise.withResolvers<void>();
    await page.route("**/geist-mono-*.woff2", async (route) => {
      await painted;
      await route.continue();
    });
    await page.goto(path, { waitUntil: "commit" });
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    releaseCodeFont();
    await page.waitForLoadState();
    await untilHydrated(page);
    await page.evaluate(() => document.fonts.ready);
    expect(await shifts(page)).toEqual([]);
  });
}

test.describe("before the scripts have loaded", () => {
  /** The load event waits for the scripts. */
  const NOT_LOADED = { waitUntil: "domcontentloaded" } as const;
  const open = (page: Page, path: string) => page.goto(path, NOT_LOADED);

  for (const [who, paths] of [
    ["visitor", VISITORS],
    ["admin", STAFF],
  ] as const) {
    test(`disables every button on ${who} pages unless it submits a form`, { tag: "@nightly" }, async ({
      page,
      copy,
    }) => {
      if (who === "admin") await signIn(page, copy, who);
      await holdScripts(page);
      for (const path of paths) {
        await open(page, path);
        await expectButtonsDisabled(page, path);
      }
    });
  }

  test("disables every button of a customer that submits no form, one that asks for confirmation too, and keeps a typed quantity for the order form", {
    tag: "@nightly",
  }, async ({ page, copy }) => {
    const { cookies } = await sessionOf(page.context().browser(), copy, "customer");
    await page.context().addCookies(cookies);
    await test.step("every page's buttons, and a quantity typed on the last", async () => {
      const releaseScripts = await holdScripts(page);
      for (const path of CUSTOMERS) {
        await open(page, path);
        await expectButtonsDisabled(page, path);
      }
      const form = page.getByRole("form", { name: "New order" });
      const before = (await form.getByRole("button", { name: /^Place order/ }).textContent()) ?? "";
      await form.getByLabel("Quantity").fill("777");
      releaseScripts();
      await expect(form.getByRole("button", { name: /^Place order/ })).not.toHaveText(before);
      await expect(form.getByLabel("Quantity")).toHaveValue("777");
    });
    await test.step("a button that asks for confirmation", async () => {
      await page.unrouteAll();
      const releaseScripts = await holdScripts(page);
      await open(page, "/dashboard/api");
      const revoke = page.getByRole("button", { name: /^Revoke the key/ }).first();
      await expect(revoke).toBeDisabled();
      releaseScripts();
      await revoke.click();
      await page.getByRole("button", { name: "Keep it" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await expect(revoke).toBeEnabled();
    });
  });

  test("follows links and submits forms of a visitor, keeps the focus in a field, and goes on after a click during hydration", async ({
    page,
  }) => {
    allowConsole(page, /status of 400/);
    await clickDuringHydration(page);
    await test.step("links, forms and the focus after a refused login", async () => {
      const releaseScripts = await holdScripts(page);
      await open(page, "/");
      await page.getByLabel("Quantity").fill("777");
      await page.getByRole("button", { name: /^Order/ }).click();
      await page.waitForURL(/\/auth\/signup\?.*quantity=777/, NOT_LOADED);
      await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
      await page.waitForURL(/\/auth\/login\?redirectTo=.*777/, NOT_LOADED);
      await submitLogIn(page, "nobody@test.example", "not the password");
      await expect(page.getByRole("alert")).toBeFocused();
      await page.getByLabel("Password", { exact: true }).focus();
      releaseScripts();
      await untilHydrated(page);
      await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    });
  });

  test("keeps the calculator's service and quantity and a password's length", { tag: "@nightly" }, async ({ page }) => {
    await clickDuringHydration(page);
    await test.step("the calculator", async () => {
      const releaseScripts = await holdScripts(page);
      await open(page, "/");
      const calculator = page.getByRole("form", { name: "Price calculator" });
      const quantity = calculator.getByLabel("Quantity");
      const second = calculator.getByLabel("Service").locator("option").nth(1);
      const service = (await second.getAttribute("value")) ?? "";
      const before = (await calculator.getByRole("button", { name: /^Order/ }).textContent()) ?? "";
      await expect(calculator.getByRole("radio").first()).toBeDisabled();
      await calculator.getByLabel("Service").selectOption(service);
      await quantity.fill("77");
      await quantity.press("ArrowLeft");
      releaseScripts();
      await expect(calculator.getByRole("button", { name: /^Order/ })).not.toHaveText(before);
      // The caret stayed in place.
      await quantity.pressSequentially("0");
      await expect(quantity).toHaveValue("707");
      await calculator.getByRole("button", { name: /^Order/ }).click();
      await page.waitForURL(/\/auth\/signup/);
      const next = new URL(new URL(page.url()).searchParams.get("redirectTo") ?? "", page.url());
      expect(Object.fromEntries(next.searchParams)).toEqual({ service, quantity: "707" });
    });
    await page.unrouteAll();
    await test.step("the letters of a password", async () => {
      const releaseScripts = await holdScripts(page);
      await open(page, "/auth/signup");
      await page.getByLabel("Password", { exact: true }).fill("as long as it takes");
      releaseScripts();
      await expect(page.getByText("Very good length.")).toBeVisible();
    });
  });

  test("keeps a typed quantity for a service's page", { tag: "@nightly" }, async ({ page }) => {
    const releaseScripts = await holdScripts(page);
    await open(page, "/services/11-tiktok-likes");
    const form = page.getByRole("form", { name: "Order" });
    await form.getByLabel("Quantity").fill("3000");
    releaseScripts();
    await expect(form.getByRole("button", { name: "Order · $1.86" })).toBeVisible();
    await expect(form.getByLabel("Quantity")).toHaveValue("3000");
  });

  test("swipes the introduction and counts its screens from there", { tag: "@nightly" }, async ({ page }) => {
    const releaseScripts = await holdScripts(page);
    await open(page, "/onboarding");
    const strip = page.getByRole("group", { name: "Introduction" });
    await strip.evaluate((box) => box.scrollTo({ left: 3 * box.clientWidth }));
    releaseScripts();
    await expect(page.getByRole("img", { name: "Screen 4 of 4" })).toBeVisible();
  });
});

/** Clicks on each page after React listens and before it has rendered anything. */
async function clickDuringHydration(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = (...added: Parameters<typeof addEventListener>) => {
      addEventListener.apply(document, added);
      if (added[0] !== "click") return;
      document.addEventListener = addEventListener;
      queueMicrotask(() => document.querySelector("main")?.click());
    };
  });
}

async function expectButtonsDisabled(page: Page, path: string): Promise<void> {
  await expect(page.getByRole("main"), path).toBeVisible();
  // A button that opens a popover needs no script.
  await expect(page.locator("button:not([type=submit], [popovertarget]):enabled"), path).toHaveCount(0);
  // A form with neither can only be submitted by scripts.
  await expect(page.locator("form:not([action], [method]) [type=submit]:enabled"), path).toHaveCount(0);
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
        // Buffered entries are delivered in a task of their own.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(found)));
      }),
  );
}
