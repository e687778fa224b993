import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { allowConsole, expect, PASSWORD, signUp, test } from "#tests/e2e/fixtures.ts";
import { CUT_OFF } from "#tests/e2e/support/chat-steps.ts";
import { beOnPhone, type Phone } from "./native-bridge.ts";

const APP_FLAG = "growline.onboarding.app.v1";
const WEB_FLAG = "growline.onboarding.web.v1";
const SESSION_KEY = "growline.session.v1";
const SHELL = {
  userAgent: "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/142 Mobile GrowlineShell",
};

/** The pages that were shown one after the other, and what the back button would find. */
async function watchPages(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const seen = JSON.parse(sessionStorage.getItem("seen") ?? "[]") as string[];
    const note = (url: string | URL | null | undefined) => {
      const { pathname } = new URL(String(url ?? location.href), location.href);
      if (seen.at(-1) !== pathname) seen.push(pathname);
      sessionStorage.setItem("seen", JSON.stringify(seen));
    };
    note(location.href);
    for (const method of ["pushState", "replaceState"] as const) {
      const real = history[method];
      history[method] = function (this: History, ...args: Parameters<History["pushState"]>) {
        note(args[2]);
        return real.apply(this, args);
      };
    }
  });
  return () => page.evaluate(() => JSON.parse(sessionStorage.getItem("seen") ?? "[]") as string[]);
}

async function walkIntroduction(page: Page): Promise<void> {
  for (const screen of [1, 2, 3]) {
    await expect(page.getByRole("img", { name: `Screen ${screen} of 4` })).toBeVisible();
    await page.getByRole("button", { name: "Next" }).click();
  }
  await page.getByRole("link", { name: "Get started" }).click();
}

for (const platform of ["android", "ios"] as const) {
  test(`on ${platform} one walks the introduction, signs up, is let through, and comes back to the page`, async ({
    context,
    page,
  }) => {
    const phone = await beOnPhone(context, platform);
    const pages = await watchPages(page);
    await page.goto("/dashboard?from=link");
    // The server sends a stranger from the dashboard to the log-in page, which is outside the gate; start-up goes on.
    await page.waitForURL("/onboarding");
    await expect(page.getByRole("heading", { name: "Know the price first" })).toBeVisible();
    expect(await pages()).toEqual(["/auth/login", "/onboarding"]);

    await walkIntroduction(page);
    await page.waitForURL("/auth/start");
    expect(await page.evaluate((key) => localStorage.getItem(key), APP_FLAG)).not.toBeNull();
    expect(await page.evaluate((key) => localStorage.getItem(key), WEB_FLAG)).toBeNull();

    await page.getByRole("link", { name: "Create an account" }).click();
    await page.waitForURL("/auth/signup");
    await page.getByLabel("Name").fill("Ada Phone");
    await page.getByLabel("Email address").fill(`${crypto.randomUUID()}@test.example`);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("/dashboard");
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    await expect(page.getByRole("status", { name: "Opening" })).toHaveCount(0);

    await page.reload();
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    await expect.poll(() => names(phone, page)).toContain("SplashScreen.hide");
    expect(await pages()).toEqual(["/auth/login", "/onboarding", "/auth/start", "/auth/signup", "/dashboard"]);

    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL("/auth/start");
    await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  });
}

test("the page behind the gate is never seen before the gate has decided, and the redirect leaves no step back", async ({
  browser,
  copy,
}) => {
  const context = await browser.newContext({ ...SHELL, baseURL: copy.url });
  await beOnPhone(context, "android");
  const page = await context.newPage();
  const pages = await watchPages(page);
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith(".data")) asked.push(pathname);
  });
  await page.goto("/privacy-policy", { waitUntil: "commit" });
  await page.waitForURL("/onboarding");
  await expect(page.getByRole("link", { name: "Skip" })).toBeVisible();
  expect(await pages()).toEqual(["/privacy-policy", "/onboarding"]);
  expect(await page.evaluate(() => history.length)).toBe(2);
  await page.getByRole("link", { name: "Skip" }).click();
  await page.waitForURL("/auth/start");
  // Back at a page behind the gate: the sign-in page, once more and not twice.
  await page.evaluate(() => history.replaceState(history.state, "", "/auth/start"));
  await page.goto("/privacy-policy");
  await page.waitForURL("/auth/start");
  expect(await pages()).toEqual(["/privacy-policy", "/onboarding", "/auth/start", "/privacy-policy", "/auth/start"]);
  await expect(page.getByRole("link", { name: "Create an account" })).toBeVisible();
  // Also no redirect to where one is already, which the addresses would not show.
  expect(asked).toEqual(["/onboarding.data", "/auth/start.data", "/auth/start.data"]);
  await context.close();
});

test("before its scripts run, the shell's window is empty on a page behind the gate, and a browser's is not", async ({
  browser,
  copy,
}) => {
  for (const [userAgent, held] of [
    [SHELL.userAgent, "held"],
    [undefined, null],
  ] as const) {
    const context = await browser.newContext({ ...(userAgent && { userAgent }), baseURL: copy.url });
    const page = await context.newPage();
    // The inline scripts of the head run; the modules that bring the page to life never come.
    await page.route("**/assets/*.js", () => {});
    await page.goto("/privacy-policy", { waitUntil: "commit" });
    await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
    // The markup comes before its stylesheet, and the load event waits for the scripts.
    await page.waitForFunction(() => {
      const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
      return links.length > 0 && links.every((link) => link.sheet);
    });
    expect(await page.evaluate(() => document.documentElement.dataset.gate ?? null)).toBe(held);
    expect(
      await page.evaluate(() => {
        const cover = getComputedStyle(document.body, "::before");
        return cover.position === "fixed" && cover.content !== "none";
      }),
    ).toBe(held === "held");
    await context.close();
  }
});

test("a bridge that comes late is seen, and a browser shows the page all the while", async ({ context, page }) => {
  await beOnPhone(context, "android", { bridgeAfterMs: 700 });
  await page.goto("/privacy-policy");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.waitForURL("/onboarding");
});

test("a web view without a bridge goes to the introduction by its user agent alone, after three seconds", async ({
  browser,
  copy,
}) => {
  const userAgent = "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/142 Mobile";
  const context = await browser.newContext({ userAgent, baseURL: copy.url });
  const page = await context.newPage();
  await page.goto("/privacy-policy");
  await expect(page.getByRole("status").getByText("Opening")).toBeAttached();
  await page.waitForURL("/onboarding");
  await context.close();
});

test("a browser is never led to the introduction, and its pages are the server's", async ({ page }) => {
  const pages = await watchPages(page);
  await page.clock.install();
  const response = await page.goto("/privacy-policy");
  expect(await response?.text()).toContain("What we store");
  await page.waitForLoadState("networkidle");
  // Longer than start-up and gate look for a bridge, by the page's own clock.
  await page.clock.runFor(7000);
  expect(await pages()).toEqual(["/privacy-policy"]);
});

test("a session survives that the app is killed and the web view loses its storage", async ({ browser, copy }) => {
  const first = await browser.newContext({ ...SHELL, baseURL: copy.url });
  const phone = await beOnPhone(first, "android");
  const page = await first.newPage();
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await signUp(page);
  await expect.poll(() => names(phone, page)).toContain("Preferences.set");
  const kept = (await phone.calls(page)).findLast(({ name }) => name === "Preferences.set")?.options;
  expect(kept?.key).toBe(SESSION_KEY);
  await first.close();

  // A new web view: no cookie, no storage; only what the app itself has kept.
  const second = await browser.newContext({ ...SHELL, baseURL: copy.url });
  await beOnPhone(second, "android", { preferences: { [SESSION_KEY]: String(kept?.value) } });
  const again = await second.newPage();
  await again.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  const pages = await watchPages(again);
  await again.goto("/");
  await expect(again.getByRole("banner").getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(again.getByRole("status").getByText("Opening")).toHaveCount(0);
  expect(await pages()).toEqual(["/"]);
  await second.close();
});

test("a kept session that has ended is discarded, and leads to the sign-in page", async ({ context, page }) => {
  allowConsole(page, /40\d/);
  const ended = { access_token: "a.b.c", refresh_token: "gone", expires_at: 1 };
  const phone = await beOnPhone(context, "ios", { preferences: { [SESSION_KEY]: JSON.stringify(ended) } });
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/");
  await page.waitForURL("/auth/start");
  await expect.poll(() => names(phone, page)).toContain("Preferences.remove");
});

test("a network that is lost in the middle of an order and of a chat takes nothing from either", async ({
  context,
  page,
}) => {
  allowConsole(page, CUT_OFF);
  const phone = await beOnPhone(context, "android");
  const pages = await watchPages(page);
  const network = (connected: boolean) =>
    phone.fire(page, "Network", "networkStatusChange", { connected, connectionType: connected ? "wifi" : "none" });
  const back = () => phone.fire(page, "App", "backButton", { canGoBack: true });
  const lost = page.getByRole("alertdialog");
  await page.goto("/");
  await page.waitForURL("/onboarding");
  await walkIntroduction(page);
  await page.waitForURL("/auth/start");
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL("/auth/signup");
  await page.getByLabel("Email address").fill(`${crypto.randomUUID()}@test.example`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/dashboard");

  const link = page.getByLabel("Link", { exact: true });
  await link.fill("https://instagram.com/p/on-the-train");
  await network(false);
  await expect(lost).toBeVisible();
  await back();
  await expect.poll(() => names(phone, page)).toContain("App.minimizeApp");
  await expect(lost).toBeVisible();
  await page.getByRole("button", { name: "Try Again" }).click();
  await expect(lost).toHaveCount(0);
  await expect(link).toHaveValue("https://instagram.com/p/on-the-train");

  await page.getByRole("button", { name: "Open support chat" }).click();
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Start Chat" }).click();
  const message = page.getByPlaceholder("Type your message...");
  await message.fill("Is my ord");
  await network(false);
  await expect(lost).toBeVisible();
  // Nothing is closed that cannot be seen.
  await back();
  await network(true);
  await expect(lost).toHaveCount(0);
  await expect(message).toHaveValue("Is my ord");
  await back();
  await expect(chat).toHaveCount(0);
  await expect(link).toHaveValue("https://instagram.com/p/on-the-train");
  expect(await pages()).toEqual(["/", "/onboarding", "/auth/start", "/auth/signup", "/dashboard"]);
});

test("Android's back button closes the chat, goes back, and leaves the app from a first page", async ({
  context,
  page,
}) => {
  const phone = await beOnPhone(context, "android");
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await signUp(page);
  await page.getByRole("link", { name: "Ada Test" }).click();
  await page.waitForURL("/dashboard/account");
  await page.getByRole("button", { name: "Open support chat" }).click();
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  await expect(chat).toBeVisible();
  const back = () => phone.fire(page, "App", "backButton", { canGoBack: true });
  await back();
  await expect(chat).toHaveCount(0);
  expect(new URL(page.url()).pathname).toBe("/dashboard/account");
  await back();
  await page.waitForURL("/dashboard");
  await back();
  await expect.poll(() => names(phone, page)).toContain("App.minimizeApp");
});

test("a deep link opens its page, also the one that started the app, and never another site", async ({
  context,
  page,
}) => {
  await signUp(page);
  const phone = await beOnPhone(context, "ios", { launchUrl: "growline://dashboard/account" });
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/");
  await page.waitForURL("/dashboard/account");
  await page.reload();
  const isListening = async () =>
    (await phone.calls(page)).some(
      ({ name, options }) => name === "App.addListener" && options.eventName === "appUrlOpen",
    );
  await expect.poll(isListening).toBe(true);
  await phone.fire(page, "App", "appUrlOpen", { url: "https://evil.example/dashboard" });
  await phone.fire(page, "App", "appUrlOpen", { url: "growline://account/delete" });
  await page.waitForURL("/account/delete");
  expect(await names(phone, page)).toContain("Browser.close");
});

test("links to other sites, and to what the gate would hold, open in the system's browser", async ({
  context,
  page,
  copy,
}) => {
  const phone = await beOnPhone(context, "android");
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/auth/login");
  await expect.poll(() => names(phone, page)).toContain("App.addListener");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect.poll(() => opened(phone, page)).toEqual([`${copy.url}/reset-password`]);
  expect(new URL(page.url()).pathname).toBe("/auth/login");

  await signUp(page);
  await page.goto("/privacy-policy");
  await expect.poll(() => names(phone, page)).toContain("App.addListener");
  await page.getByRole("link", { name: "your Google account" }).click();
  await expect.poll(() => opened(phone, page)).toEqual(["https://myaccount.google.com/connections"]);
  expect(new URL(page.url()).pathname).toBe("/privacy-policy");
});

test("the status bar follows the theme", async ({ context, page }) => {
  const phone = await beOnPhone(context, "android");
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/auth/login");
  const styles = async () =>
    (await phone.calls(page)).filter(({ name }) => name === "StatusBar.setStyle").map(({ options }) => options.style);
  await expect.poll(styles).toEqual(["DARK"]);
  await page.getByRole("button", { name: "Use the light theme" }).click();
  await expect.poll(styles).toEqual(["DARK", "LIGHT"]);
});

test("a cold start without a network shows the static page, whose button and whose regained network lead to the site", async ({
  page,
  copy,
}) => {
  const html = readFileSync("tools/native/native-error.html", "utf8").replaceAll("%ORIGIN%", copy.url);
  // Where Capacitor serves it from.
  await page.route("http://localhost/error.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.goto("http://localhost/error.html");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Connect to the Internet");
  await expect(page.getByText("Make sure you have a stable internet connection")).toBeVisible();
  await page.getByRole("button", { name: "Try Again" }).click();
  await page.waitForURL(`${copy.url}/`);
  await page.goto("http://localhost/error.html");
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await page.waitForURL(`${copy.url}/`);
});

test("a browser downloads nothing of the shell", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.url()));
  await page.goto("/");
  await page.waitForLoadState("networkidle");
  expect(scripts.filter((url) => /shell|capacitor|native-bridge/i.test(url))).toEqual([]);
});

async function names(phone: Phone, page: Page): Promise<string[]> {
  return (await phone.calls(page)).map(({ name }) => name);
}

async function opened(phone: Phone, page: Page): Promise<unknown[]> {
  return (await phone.calls(page)).filter(({ name }) => name === "Browser.open").map(({ options }) => options.url);
}
