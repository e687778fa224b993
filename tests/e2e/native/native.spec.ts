import type { Page } from "@playwright/test";
import { allowConsole, expect, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { CUT_OFF, openChat } from "#tests/e2e/support/chat-steps.ts";
import { offlinePage } from "#tools/native/native-projects.ts";
import { type Phone, simulatePhone } from "./native-bridge.ts";

const APP_FLAG = "growline.onboarding.app.v1";
const WEB_FLAG = "growline.onboarding.web.v1";
const SESSION_KEY = "growline.session.v1";
const SHELL = {
  userAgent: "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/142 Mobile GrowlineShell",
};

/** Records the paths that were shown, in order. Returns a function that reads them. */
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
  const tag = platform === "android" ? [] : "@nightly";
  test(`walks through the introduction on ${platform}, signs up, returns to the page, and keeps the session when the app is killed`, {
    tag,
  }, async ({ browser, context, page, copy }) => {
    const phone = await simulatePhone(context, platform);
    const pages = await watchPages(page);
    await page.goto("/dashboard?from=link");
    // The server redirects a visitor from the dashboard to the login page, which is outside the gate.
    await page.waitForURL("/onboarding?redirectTo=%2Fdashboard%3Ffrom%3Dlink");
    await expect(page.getByRole("heading", { name: "Know the price first" })).toBeVisible();
    expect(await pages()).toEqual(["/auth/login", "/onboarding"]);

    await walkIntroduction(page);
    await page.waitForURL("/auth/start?redirectTo=%2Fdashboard%3Ffrom%3Dlink");
    expect(await page.evaluate((key) => localStorage.getItem(key), APP_FLAG)).not.toBeNull();
    expect(await page.evaluate((key) => localStorage.getItem(key), WEB_FLAG)).toBeNull();

    await page.getByRole("link", { name: "Create an account" }).click();
    await page.waitForURL("/auth/signup?redirectTo=%2Fdashboard%3Ffrom%3Dlink");
    await page.getByLabel("Name").fill("Ada Phone");
    await page.getByLabel("Email address").fill(`${crypto.randomUUID()}@test.example`);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("/dashboard?from=link");
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    await expect(page.getByRole("status", { name: "Opening" })).toHaveCount(0);

    await expect.poll(() => names(phone, page)).toContain("SplashScreen.hide");
    expect(await pages()).toEqual(["/auth/login", "/onboarding", "/auth/start", "/auth/signup", "/dashboard"]);
    await expect.poll(() => names(phone, page)).toContain("Preferences.set");
    const kept = (await phone.calls(page)).findLast(({ name }) => name === "Preferences.set")?.options;
    expect(kept?.key).toBe(SESSION_KEY);
    await page.close();

    // A new web view has no cookies and no storage, only the app's preferences.
    const second = await browser.newContext({ ...SHELL, baseURL: copy.url });
    await simulatePhone(second, platform, { preferences: { [SESSION_KEY]: String(kept?.value) } });
    const again = await second.newPage();
    await again.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
    const itsPages = await watchPages(again);
    await again.goto("/");
    await expect(again.getByRole("banner").getByRole("link", { name: "Dashboard" })).toBeVisible();
    await expect(again.getByRole("status").getByText("Opening")).toHaveCount(0);
    expect(await itsPages()).toEqual(["/"]);

    await again.getByRole("button", { name: "Log out" }).click();
    await again.waitForURL("/auth/start");
    await expect(again.getByRole("link", { name: "Log in" })).toBeVisible();
    await second.close();
  });
}

/** The server redirects from some, and the gate itself from the others. Another test opens one of each. */
const GATED = ["/upload", "/account/two-step", "/gmail-sync?from=link", "/account/delete"];

for (const path of GATED) {
  test(`opens the sign-in page of the app in place of ${path}, and the page after a log-in`, {
    tag: "@nightly",
  }, async ({ browser, copy }) => {
    const context = await browser.newContext({ ...SHELL, baseURL: copy.url });
    await simulatePhone(context, "android");
    const page = await context.newPage();
    // On the page, because a blank one has no storage.
    await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
    const pages = await watchPages(page);
    await page.goto(path);
    await page.waitForURL(/\/auth\/start/);
    await expect(page.getByRole("link", { name: "Create an account" })).toBeVisible();
    expect((await pages()).at(-1)).toBe("/auth/start");
    expect(new URL(page.url()).searchParams.get("redirectTo")).toBe(path);
    await page.getByRole("link", { name: "Log in" }).click();
    await page.waitForURL(/\/auth\/login/);
    await submitLogIn(page, copy.demo.customer.email, copy.demo.customer.password);
    await page.waitForURL(path);
    await context.close();
  });
}

test("discards a stored session that has ended, and opens the sign-in page, and from there the forms, in an app that only its bridge identifies", async ({
  context,
  page,
  copy,
}) => {
  allowConsole(page, /40\d/);
  const ended = { access_token: "a.b.c", refresh_token: "gone", expires_at: 1 };
  const phone = await simulatePhone(context, "ios", { preferences: { [SESSION_KEY]: JSON.stringify(ended) } });
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/upload");
  await page.waitForURL("/auth/start?redirectTo=%2Fupload");
  await expect.poll(() => names(phone, page)).toContain("Preferences.remove");
  await page.getByRole("link", { name: "Log in" }).click();
  await page.waitForURL("/auth/login?redirectTo=%2Fupload");
  await expect(page.getByLabel("Email address")).toBeVisible();

  await test.step("a link to a gated page opens in the in-app browser", async () => {
    await expect.poll(() => names(phone, page)).toContain("App.addListener");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await expect.poll(() => opened(phone, page)).toEqual([`${copy.url}/reset-password`]);
    expect(new URL(page.url()).pathname).toBe("/auth/login");
  });
  await test.step("the status bar matches the theme", async () => {
    const styles = async () =>
      (await phone.calls(page)).filter(({ name }) => name === "StatusBar.setStyle").map(({ options }) => options.style);
    await expect.poll(styles).toEqual(["DARK"]);
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await expect.poll(styles).toEqual(["DARK", "LIGHT"]);
  });
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.waitForURL("/auth/signup?redirectTo=%2Fupload");
});

test("never shows a gated page before the gate has decided, leaves no history entry for the redirect, and opens the page after a log-in", async ({
  browser,
  copy,
}) => {
  const context = await browser.newContext({ ...SHELL, baseURL: copy.url });
  await simulatePhone(context, "android");
  const page = await context.newPage();
  const pages = await watchPages(page);
  const requested: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith(".data")) requested.push(pathname);
  });
  await page.goto("/privacy-policy", { waitUntil: "commit" });
  await page.waitForURL("/onboarding?redirectTo=%2Fprivacy-policy");
  await expect(page.getByRole("link", { name: "Skip" })).toBeVisible();
  expect(await pages()).toEqual(["/privacy-policy", "/onboarding"]);
  expect(await page.evaluate(() => history.length)).toBe(2);
  await page.getByRole("link", { name: "Skip" }).click();
  await page.waitForURL("/auth/start?redirectTo=%2Fprivacy-policy");
  // A gated page opened again leads to the sign-in page, once.
  await page.evaluate(() => history.replaceState(history.state, "", "/auth/start"));
  await page.goto("/privacy-policy");
  await page.waitForURL("/auth/start?redirectTo=%2Fprivacy-policy");
  expect(await pages()).toEqual(["/privacy-policy", "/onboarding", "/auth/start", "/privacy-policy", "/auth/start"]);
  await expect(page.getByRole("link", { name: "Create an account" })).toBeVisible();
  // Also checks for a redirect to the current page, which the recorded paths would not show.
  expect(requested).toEqual(["/onboarding.data", "/auth/start.data", "/auth/start.data"]);
  const { email, password } = copy.demo.customer;
  await page.getByRole("link", { name: "Log in" }).click();
  await page.waitForURL(/\/auth\/login/);
  await submitLogIn(page, email, password);
  await page.waitForURL("/privacy-policy");

  await test.step("a page of the dashboard, from which the server redirects", async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL("/auth/start");
    await page.goto("/dashboard/orders?tab=open");
    await page.waitForURL("/auth/start?redirectTo=%2Fdashboard%2Forders%3Ftab%3Dopen");
    await page.getByRole("link", { name: "Log in" }).click();
    await page.waitForURL(/\/auth\/login/);
    await submitLogIn(page, email, password);
    await page.waitForURL("/dashboard/orders?tab=open");
  });
  await context.close();
});

test("hides a gated page in the shell until its scripts run, but not in a browser", async ({ browser, copy }) => {
  for (const [userAgent, held] of [
    [SHELL.userAgent, "held"],
    [undefined, null],
  ] as const) {
    const context = await browser.newContext({ ...(userAgent && { userAgent }), baseURL: copy.url });
    const page = await context.newPage();
    // The inline scripts of the head run, but the modules that hydrate the page never load.
    await page.route("**/assets/*.js", () => {});
    await page.goto("/privacy-policy", { waitUntil: "commit" });
    await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
    // The markup arrives before its stylesheet, and the load event would wait for the scripts.
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

test("detects a late bridge, and shows the page as in a browser until then", { tag: "@nightly" }, async ({
  context,
  page,
}) => {
  await simulatePhone(context, "android", { bridgeAfterMs: 700 });
  await page.goto("/privacy-policy");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.waitForURL("/onboarding?redirectTo=%2Fprivacy-policy");
});

test("opens the introduction after three seconds in a web view without a bridge, by its user agent", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  const userAgent = "Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/142 Mobile";
  const context = await browser.newContext({ userAgent, baseURL: copy.url });
  const page = await context.newPage();
  await page.goto("/privacy-policy");
  await expect(page.getByRole("status").getByText("Opening")).toBeAttached();
  await page.waitForURL("/onboarding?redirectTo=%2Fprivacy-policy");
  await context.close();
});

test("keeps an unsent order and an unsent message while the network is lost", { tag: "@nightly" }, async ({
  context,
  page,
}) => {
  allowConsole(page, CUT_OFF);
  const phone = await simulatePhone(context, "android");
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

  await openChat(page);
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Start Chat" }).click();
  const message = page.getByPlaceholder("Type your message...");
  await message.fill("Is my ord");
  await network(false);
  await expect(lost).toBeVisible();
  // The back button closes nothing behind the offline screen.
  await back();
  await network(true);
  await expect(lost).toHaveCount(0);
  await expect(message).toHaveValue("Is my ord");
  await back();
  await expect(chat).toHaveCount(0);
  await expect(link).toHaveValue("https://instagram.com/p/on-the-train");
  expect(await pages()).toEqual(["/", "/onboarding", "/auth/start", "/auth/signup", "/dashboard"]);
});

test("opens the page of a deep link, also at launch, and other sites in the in-app browser, trusts the network plugin, and goes back with Android's back button", {
  tag: "@nightly",
}, async ({ context, page }) => {
  allowConsole(page, CUT_OFF);
  await signUpByRequest(page);
  const phone = await simulatePhone(context, "android", { launchUrl: "growline://dashboard/account" });
  await page.addInitScript((key) => localStorage.setItem(key, "seen"), APP_FLAG);
  await page.goto("/privacy-policy");
  await page.waitForURL("/dashboard/account");
  const isListening = async () =>
    (await phone.calls(page)).some(
      ({ name, options }) => name === "App.addListener" && options.eventName === "appUrlOpen",
    );
  await expect.poll(isListening).toBe(true);

  await test.step("deep links, but never of another site", async () => {
    await phone.fire(page, "App", "appUrlOpen", { url: "https://evil.example/dashboard" });
    await phone.fire(page, "App", "appUrlOpen", { url: "growline://account/delete" });
    await page.waitForURL("/account/delete");
    expect(await names(phone, page)).toContain("Browser.close");
  });
  await test.step("a link to another site", async () => {
    await page.getByRole("contentinfo").getByRole("link", { name: "Privacy" }).click();
    await page.waitForURL("/privacy-policy");
    await page.getByRole("link", { name: "your Google account" }).click();
    await expect.poll(() => opened(phone, page)).toEqual(["https://myaccount.google.com/connections"]);
    expect(new URL(page.url()).pathname).toBe("/privacy-policy");
  });
  await test.step("a tapped notification, but never of another site", async () => {
    const tap = (path: string) =>
      phone.fire(page, "PushNotifications", "pushNotificationActionPerformed", {
        actionId: "tap",
        notification: { data: { path } },
      });
    await tap("/dashboard/orders?from=tap");
    await page.waitForURL("/dashboard/orders?from=tap");
    await tap("//evil.example/");
    await expect(page).toHaveURL("/dashboard/orders?from=tap");
    await tap("/dashboard#support-chat");
    await expect(page.getByRole("dialog", { name: "Support Chat" })).toBeVisible();
    await page.getByRole("button", { name: "Close chat" }).click();
  });
  await test.step("the network plugin, over the browser", async () => {
    const lost = page.getByRole("alertdialog", { name: "Connect to the Internet" });
    await expect
      .poll(() => names(phone, page))
      .toEqual(expect.arrayContaining(["Network.getStatus", "Network.addListener"]));
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(lost).toHaveCount(0);
    await phone.fire(page, "Network", "networkStatusChange", { connected: false, connectionType: "none" });
    await expect(lost).toBeVisible();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(lost).toBeVisible();
    await phone.fire(page, "Network", "networkStatusChange", { connected: true, connectionType: "wifi" });
    await expect(lost).toHaveCount(0);
  });
  await test.step("the back button: closes the chat, goes back, and leaves the app from a first page", async () => {
    await page.getByRole("banner").getByRole("link", { name: "Dashboard" }).click();
    await page.waitForURL("/dashboard");
    await page.getByRole("link", { name: "Ada Test" }).click();
    await page.waitForURL("/dashboard/account");
    await openChat(page);
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
});

test("shows the static page on a cold start without a network, and opens the site by button or once online", async ({
  page,
  copy,
}) => {
  const html = offlinePage(copy.url, "Growline");
  // The URL that Capacitor serves it from.
  await page.route("http://localhost/error.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  // Which page the site shows is no matter here.
  await page.route(`${copy.url}/`, (route) => route.fulfill({ contentType: "text/html", body: "the site" }));
  await page.goto("http://localhost/error.html");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Connect to the Internet");
  await expect(page.getByText("Make sure you have a stable internet connection")).toBeVisible();
  await page.getByRole("button", { name: "Try Again" }).click();
  await page.waitForURL(`${copy.url}/`);
  await page.goto("http://localhost/error.html");
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await page.waitForURL(`${copy.url}/`);
});

async function names(phone: Phone, page: Page): Promise<string[]> {
  return (await phone.calls(page)).map(({ name }) => name);
}

async function opened(phone: Phone, page: Page): Promise<unknown[]> {
  return (await phone.calls(page)).filter(({ name }) => name === "Browser.open").map(({ options }) => options.url);
}
