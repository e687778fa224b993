import AxeBuilder from "@axe-core/playwright";
import type { Locator } from "@playwright/test";
import { allowConsole, expect, signIn, signUp, test, untilHydrated } from "#tests/e2e/fixtures.ts";

const PHONE = { width: 390, height: 844 };

test("scrolls the current tab and the chosen filter into view on a phone", async ({ page, copy }) => {
  await page.setViewportSize(PHONE);
  await signIn(page, copy, "admin");
  for (const [path, nav, tab] of [
    ["/dashboard/account", "Dashboard", "Account"],
    ["/gmail-sync", "Dashboard", "Gmail"],
    ["/admin/audit", "Console", "Audit log"],
  ] as const) {
    await page.goto(path);
    const current = page.getByRole("navigation", { name: nav }).getByRole("link", { name: tab });
    await expect(current).toHaveAttribute("aria-current", "page");
    await expect(current).toBeInViewport({ ratio: 0.95 });
  }
  await page.goto("/dashboard/orders?status=Canceled");
  const chosen = page.getByRole("navigation", { name: "Orders by status" }).getByRole("link", { name: "Canceled" });
  await expect(chosen).toHaveAttribute("aria-current", "page");
  await expect(chosen).toBeInViewport({ ratio: 0.95 });
});

test("ends the dashboard with its footer on a phone", async ({ page, copy }) => {
  await page.setViewportSize(PHONE);
  await signIn(page, copy, "customer", "/dashboard");
  const blank = await page.evaluate(() => {
    const footer = document.querySelector("footer")?.getBoundingClientRect().bottom ?? 0;
    return document.documentElement.scrollHeight - Math.max(footer + window.scrollY, window.innerHeight);
  });
  expect(blank).toBeLessThan(2);
});

test("marks a tab as current on the pages below it", async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/orders/requests");
  const tabs = page.getByRole("navigation", { name: "Console" });
  await expect(tabs.locator("[aria-current]")).toHaveText([/^Orders/]);
  await page.goto("/dashboard/orders/mass");
  await expect(page.getByRole("navigation", { name: "Dashboard" }).locator("[aria-current]")).toHaveText("Mass order");
  await expect(page.getByRole("banner").locator("[aria-current]")).toHaveText("Dashboard");
});

test("explains account deletion without a session and leads to it through login", async ({ page, browser, copy }) => {
  const response = await page.goto("/account/delete");
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { name: "We delete" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "We keep" })).toBeVisible();
  await expect(page.getByLabel("Your password")).toHaveCount(0);
  await page.getByRole("link", { name: "Log in to delete your account" }).click();
  await page.waitForURL("/auth/login?redirectTo=%2Faccount%2Fdelete");
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL("/account/delete");
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeVisible();
  await expect(page.getByText(copy.demo.customer.email)).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete my account" })).toBeVisible();
  // A request without a session or password deletes nothing.
  const stranger = await browser.newContext({ baseURL: copy.url });
  const posted = await stranger.request.post("/account/delete", {
    form: { password: copy.demo.customer.password },
    headers: { Origin: copy.url },
    maxRedirects: 0,
  });
  expect(posted.status()).toBe(302);
  expect(posted.headers().location).toContain("/auth/login");
  await stranger.close();
});

test("keeps the chat button off footer links and off the introduction", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/reset-password");
  const button = page.getByRole("button", { name: "Open support chat" });
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  for (const link of await page.getByRole("contentinfo").getByRole("link").all()) {
    expect(await overlaps(button, link), String(await link.textContent())).toBe(false);
  }
  await page.goto("/onboarding-demo");
  await expect(page.getByRole("button", { name: "Next" })).toBeVisible();
  await expect(button).toHaveCount(0);
});

test("keeps a name of 80 letters on one line of the header", async ({ page }) => {
  await signUp(page);
  const banner = page.getByRole("banner");
  const before = await banner.boundingBox();
  await page.goto("/dashboard/account");
  await page.getByLabel("Name", { exact: true }).fill("Maximiliane ".repeat(7).trim());
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Name saved.")).toBeVisible();
  const name = banner.getByText("Maximiliane Maximiliane");
  expect((await name.boundingBox())?.height).toBeLessThan(30);
  expect((await banner.boundingBox())?.height).toBe(before?.height);
});

test("finds no axe violations in a toast with a description, in both themes", async ({ page }) => {
  for (const theme of ["dark", "light"]) {
    await page.goto("/");
    await page.evaluate((chosen) => localStorage.setItem("theme", chosen), theme);
    await page.goto("/gmail-sync?gmail=denied");
    const toast = page.locator("[data-sonner-toast]");
    await expect(toast).toContainText("You didn't allow access at Google");
    // A toast under the pointer stays.
    await toast.hover();
    await expect(toast).toHaveCSS("opacity", "1");
    const { violations } = await new AxeBuilder({ page }).include("[data-sonner-toast]").setLegacyMode(true).analyze();
    expect(
      violations.map(({ id }) => id),
      theme,
    ).toEqual([]);
    expect((await toast.boundingBox())?.width, theme).toBe(356);
  }
});

test("dismisses a toast by a swipe", async ({ page }) => {
  await page.goto("/gmail-sync?gmail=denied");
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toContainText("You didn't allow access at Google");
  await toast.hover();
  await expect(toast).toHaveCSS("opacity", "1");
  const box = await toast.boundingBox();
  if (!box) throw new Error("not visible");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x, middle.y + 100, { steps: 10 });
  await page.mouse.up();
  // A toast under a resting pointer would stay.
  await expect(toast).toHaveCount(0);
});

test("shows placeholders and aria-busy while a list loads other rows", async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/services");
  const table = page.getByRole("group", { name: "Services" });
  const cell = table.getByRole("cell").first();
  await expect(table).not.toHaveAttribute("aria-busy");
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(/admin\/services.*q=likes/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByLabel("Search").fill("likes");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(table).toHaveAttribute("aria-busy", "true");
  await expect(cell).toHaveCSS("color", "rgba(0, 0, 0, 0)");
  letThrough();
  await expect(table).not.toHaveAttribute("aria-busy");
  await expect(cell).not.toHaveCSS("color", "rgba(0, 0, 0, 0)");
});

test.describe("client-side validation", () => {
  const CHECK = /\/assets\/check-input-/;

  test("loads on first input, not with the page, and reports errors before submitting", async ({ page }) => {
    const fetched: string[] = [];
    const posted: string[] = [];
    page.on("request", (request) => {
      if (CHECK.test(request.url())) fetched.push(request.url());
      if (request.method() === "POST") posted.push(request.url());
    });
    await page.goto("/auth/signup", { waitUntil: "networkidle" });
    expect(fetched).toEqual([]);
    await page.getByLabel("Email address").fill("not an address");
    await expect.poll(() => fetched.length).toBe(1);
    await page.getByRole("button", { name: "Create account" }).click();
    const email = page.getByLabel("Email address");
    await expect(email).toHaveAccessibleDescription(/name@example\.com/);
    await expect(email).toBeFocused();
    await expect(page.getByText("Choose a password")).toBeVisible();
    // After that, typing is validated.
    await email.fill("ada@test.example");
    await expect(email).not.toHaveAttribute("aria-invalid");
    await expect(page.getByText("Choose a password")).toBeVisible();
    await email.fill("ada@");
    await expect(email).toHaveAttribute("aria-invalid", "true");
    expect(posted.filter((url) => url.includes("/auth/signup"))).toEqual([]);
  });

  test("delays a form that is submitted while it loads", async ({ page }) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(CHECK, async (route) => {
      await released;
      await route.continue();
    });
    const posted: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/auth/signup")) posted.push(request.url());
    });
    await page.goto("/auth/signup");
    await untilHydrated(page);
    const email = page.getByLabel("Email address");
    await email.fill("not an address");
    await page.getByRole("button", { name: "Create account" }).click();
    release();
    await expect(email).toHaveAccessibleDescription(/name@example\.com/);
    await expect(email).toBeFocused();
    expect(posted).toEqual([]);
  });

  test("leaves errors to the server if it cannot be loaded", async ({ page }) => {
    allowConsole(page, /status of 4|ERR_FAILED|check-input/);
    await page.route(CHECK, (route) => route.abort());
    await page.goto("/auth/signup");
    await untilHydrated(page);
    await page.getByLabel("Email address").fill("not an address");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
    await expect(page.getByLabel("Email address")).toBeFocused();
    await expect(page.getByLabel("Email address")).toHaveValue("not an address");
  });
});

async function overlaps(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (!a || !b) throw new Error("not visible");
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
