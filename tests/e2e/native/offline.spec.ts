import type { Page } from "@playwright/test";
import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { allowConsole, countLoads, expect, signIn, signUp, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { choose, fillOrder } from "#tests/e2e/orders/order-form-steps.ts";
import { bubbles, CUT_OFF, openChat } from "#tests/e2e/support/chat-steps.ts";

const NO_NETWORK = /ERR_|Failed to fetch|Failed to load|WebSocket/;

function screenOf(page: Page) {
  return page.getByRole("alertdialog", { name: "Connect to the Internet" });
}

/** Returns a function that tells whether the screen was ever there since this call. */
async function watchForScreen(page: Page): Promise<() => Promise<boolean>> {
  const seen = await page.evaluateHandle(() => {
    const state = { shown: false };
    new MutationObserver(() => {
      if (document.querySelector("[data-offline]")) state.shown = true;
    }).observe(document.body, { childList: true, subtree: true });
    return state;
  });
  return () => seen.evaluate(({ shown }) => shown);
}

test("covers the page with the spec's screen while there is no network or a page cannot be fetched, and reloads it on Try Again", async ({
  page,
}) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/auth/login");
  await untilHydrated(page);
  const link = page.getByRole("link", { name: "Create an account" });
  await link.focus();
  await page.context().setOffline(true);
  const screen = screenOf(page);
  await expect(screen).toBeVisible();
  await expect(screen.getByRole("heading", { level: 1 })).toHaveText("Connect to the Internet");
  await expect(screen.getByText("You're offline. Check your connection and try again.", { exact: true })).toBeVisible();
  await expect(screen.getByText("Make sure you have a stable internet connection", { exact: true })).toBeVisible();
  await expect(screen.getByRole("button", { name: "Try Again" })).toBeFocused();
  // Nothing below the screen can be reached, by pointer or by keyboard.
  const box = await screen.boundingBox();
  expect(box).toEqual({ x: 0, y: 0, ...page.viewportSize() });
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("[inert]"))).toBeNull();

  await page.context().setOffline(false);
  await expect(screen).toHaveCount(0);
  await expect(link).toBeFocused();
  await expect(page.getByRole("heading", { level: 1, name: "Log in" })).toBeVisible();

  await test.step("a page that cannot be fetched, then the page once it can", () =>
    expectPageOnceFetched(page, "failed"));
  await test.step("Try Again", async () => {
    // The device reports no network, so that the page itself can still load.
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await Promise.all([page.waitForEvent("load"), screen.getByRole("button", { name: "Try Again" }).click()]);
    await expect(screen).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });
});

/** Returns whether the screen is what somebody sees and presses at the middle of the element. */
async function isCovered(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("[data-offline]") != null;
  });
}

test("covers toasts", { tag: "@nightly" }, async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/");
  await openChat(page);
  await page.getByRole("button", { name: "Start Chat" }).click();
  const toast = "[data-sonner-toast]";
  await expect(page.locator(toast)).toBeVisible();
  // A toast under the pointer stays.
  await page.locator(toast).hover();
  expect(await isCovered(page, toast)).toBe(false);
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(screenOf(page)).toBeVisible();
  await expect.poll(() => isCovered(page, toast)).toBe(true);
});

test("covers the console's menu and the open chat and returns to them, and keeps codes that are shown only once", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  allowConsole(page, NO_NETWORK);
  const lose = () => page.evaluate(() => window.dispatchEvent(new Event("offline")));
  const regain = () => page.evaluate(() => window.dispatchEvent(new Event("online")));
  await signIn(page, copy, "admin", "/admin/orders");
  const menu = page.locator("[popover=auto]:popover-open");

  await test.step("the menu", async () => {
    await page.getByRole("button", { name: "All pages" }).click();
    await expect(menu).toBeVisible();
    await lose();
    await expect(screenOf(page)).toBeVisible();
    expect(await isCovered(page, "[popover=auto]:popover-open")).toBe(true);
    await regain();
    await expect(screenOf(page)).toHaveCount(0);
    expect(await menu.isVisible()).toBe(true);
  });
  await test.step("codes, while the page reads its data again", async () => {
    await menu.getByRole("link", { name: "Codes", exact: true }).click();
    await page.waitForURL("/admin/codes");
    await page.getByLabel("Name", { exact: true }).fill("On the train");
    await page.getByLabel("Amount in USD").fill("5");
    const form = await page
      .locator("form")
      .filter({ has: page.getByLabel("Amount in USD") })
      .evaluate(valuesOfForm);
    await page.getByRole("button", { name: "Create codes" }).click();
    await expect(page.getByLabel("New codes")).toHaveValue(/^GL-/);
    const codes = await page.getByLabel("New codes").inputValue();
    await lose();
    await expect(screenOf(page)).toBeVisible();
    const meanwhile = { ...form, name: "Meanwhile", once: crypto.randomUUID() };
    const created = await page.request.post("/admin/codes", { form: meanwhile, headers: { Origin: copy.url } });
    expect(created.status()).toBe(200);
    await regain();
    await expect(page.getByRole("row", { name: /Meanwhile/ })).toBeVisible();
    await expect(page.getByLabel("New codes")).toHaveValue(codes);
  });
  await test.step("the chat", async () => {
    await page.getByRole("banner").getByRole("link", { name: "Dashboard" }).click();
    await page.waitForURL("/dashboard");
    await page.getByRole("button", { name: "Open support chat" }).click();
    await expect(page.getByRole("dialog", { name: "Support Chat" }).locator(":focus")).toHaveCount(1);
    // The offline screen waits while somebody is typing, so the focus has to leave the message field.
    await page.getByRole("button", { name: "Minimize chat" }).focus();
    await lose();
    await expect(screenOf(page)).toBeVisible();
    expect(await isCovered(page, "section[aria-label='Support chat'], [role=dialog]")).toBe(true);
    await expect(screenOf(page).getByRole("button", { name: "Try Again" })).toBeFocused();
  });
});

/** Runs in the page. Returns what the form would send. */
function valuesOfForm(form: Element): Record<string, string> {
  return Object.fromEntries(new FormData(form as HTMLFormElement)) as Record<string, string>;
}

test("takes an open dialog from the keyboard, returns to it, holds its form, and keeps an unsent order, also after a reload, until it is placed", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  allowConsole(page, NO_NETWORK);
  allowConsole(page, CUT_OFF);
  await signIn(page, copy, "customer", "/dashboard/api");
  await page
    .getByRole("button", { name: /^Revoke the key/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: /^Revoke/ });
  const keep = dialog.getByRole("button", { name: "Keep it" });
  await expect(keep).toBeVisible();
  await keep.focus();
  const inert = () => page.evaluate(() => [...document.body.children].map((child) => child.getAttribute("inert")));
  const before = await inert();
  const button = screenOf(page).getByRole("button", { name: "Try Again" });
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(button).toBeFocused();
  for (const key of ["Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab"]) {
    await page.keyboard.press(key);
    const isOutside = await page.evaluate(() => {
      const { activeElement, body } = document;
      return activeElement !== body && activeElement?.closest("[data-offline]") == null;
    });
    expect(isOutside, key).toBe(false);
  }
  // As a dialog whose script arrives late.
  const isLateInert = await page.evaluate(async () => {
    const late = document.body.appendChild(document.createElement("div"));
    await new Promise((resolve) => setTimeout(resolve));
    late.remove();
    return late.hasAttribute("inert");
  });
  expect(isLateInert).toBe(true);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(screenOf(page)).toHaveCount(0);
  expect(await inert()).toEqual(before);
  await expect(keep).toBeFocused();

  const posted: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posted.push(request.url()));
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(button).toBeFocused();
  await dialog.locator("form").evaluate((form: HTMLFormElement) => form.requestSubmit());
  const read = page.waitForResponse("**/*.data*");
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  // The page reads its data again, after whatever the form would have sent.
  await read;
  expect(posted).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  await test.step("an unsent order", () => keepsUnsentOrder(page));
});

for (const failure of ["namenotresolved", "internetdisconnected"] as const) {
  test(`shows the screen for a page that cannot be fetched (${failure}), then the page once it can`, {
    tag: "@nightly",
  }, async ({ page }) => {
    allowConsole(page, NO_NETWORK);
    await page.goto("/auth/login");
    await untilHydrated(page);
    await expectPageOnceFetched(page, failure);
  });
}

/** On the log-in page, opens the sign-up page while no request reaches the server. */
async function expectPageOnceFetched(
  page: Page,
  failure: "namenotresolved" | "internetdisconnected" | "failed",
): Promise<void> {
  for (const path of ["**/*.data*", "**/favicon.svg"]) await page.route(path, (route) => route.abort(failure));
  await page.getByRole("link", { name: "Create an account" }).click();
  await expect(screenOf(page)).toBeVisible();
  await page.unrouteAll();
  await expect(page.getByRole("button", { name: "Create account" })).toBeVisible();
  await expect(screenOf(page)).toHaveCount(0);
  expect(new URL(page.url()).pathname).toBe("/auth/signup");
}

test("shows the error page once loading a page again has not helped", { tag: "@nightly" }, async ({ page }) => {
  allowConsole(page, /Failed to fetch/);
  // Each time, as a script that a blocker stops.
  await page.addInitScript(() => {
    window.ResizeObserver = class {
      constructor() {
        throw new TypeError("Failed to fetch dynamically imported module");
      }
    } as unknown as typeof ResizeObserver;
  });
  const loads = countLoads(page);
  await page.goto("/");
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(page.getByRole("heading", { name: "Something went wrong on our side" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Reload" })).toBeVisible();
  expect(loads()).toBe(4);
});

test("keeps the page when its first request after a lost network fails too", { tag: "@nightly" }, async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/auth/login");
  await untilHydrated(page);
  await page.getByLabel("Email address").fill("ada@test.example");
  const opened = await page.evaluateHandle(() => document);
  await page.context().setOffline(true);
  await expect(screenOf(page)).toBeVisible();
  // As when the server is killed again.
  let failures = 0;
  await page.route("**/*.data*", (route) => (++failures > 2 ? route.continue() : route.abort("connectionreset")));
  const answered = page.waitForResponse("**/*.data*");
  await page.context().setOffline(false);
  await answered;
  expect(failures).toBe(3);
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByLabel("Email address")).toHaveValue("ada@test.example");
  expect(await opened.evaluate((before) => before === document)).toBe(true);
});

test("shows no screen for a gap in which a probe fails before the server responds again", { tag: "@nightly" }, async ({
  page,
}) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/auth/login");
  await untilHydrated(page);
  const covered = await watchForScreen(page);
  let failures = 0;
  for (const path of ["**/*.data*", "**/favicon.svg"]) {
    await page.route(path, (route) => (++failures > 2 ? route.continue() : route.abort("failed")));
  }
  await page.getByRole("link", { name: "Create an account" }).click();
  await expect(page.getByRole("button", { name: "Create account" })).toBeVisible();
  expect(failures).toBeGreaterThan(2);
  expect(await covered()).toBe(false);
});

test("leaves the page to a chat that can't be reached, lets a writing visitor go on in one that can, and keeps typed text after a reload", {
  tag: "@nightly",
}, async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  allowConsole(page, CUT_OFF);
  await page.goto("/");
  await untilHydrated(page);
  await test.step("a chat that can't be reached, which says so itself", async () => {
    const probed: string[] = [];
    page.on("request", (request) => request.url().endsWith("/favicon.svg") && probed.push(request.url()));
    await page.route(/\/support\/|favicon/, (route) => route.abort("failed"));
    await openChat(page);
    const retry = page.getByRole("button", { name: "Try again", exact: true });
    await expect(page.getByText("We couldn't reach the chat.")).toBeVisible();
    await retry.click();
    await expect(page.getByText("We couldn't reach the chat.")).toBeVisible();
    expect(probed).toEqual([]);
    await expect(screenOf(page)).toHaveCount(0);
    await page.unrouteAll();
    await retry.click();
    await page.getByLabel("Your email").fill("ada@test.example");
  });
  await page.reload();
  await openChat(page);
  await expect(page.getByLabel("Your email")).toHaveValue("ada@test.example");
  await page.getByLabel("Your name").fill("Writer");
  await page.getByRole("button", { name: "Start Chat" }).click();

  const input = page.getByPlaceholder("Type your message...");
  await test.step("a writing visitor, whose keys press no button", async () => {
    await input.pressSequentially("Before");
    const opened = await page.evaluateHandle(() => document);
    await page.context().setOffline(true);
    await expect(screenOf(page)).toBeVisible();
    await expect(input).toBeFocused();
    await page.keyboard.type(" and behind the screen");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Two words");
    await page.context().setOffline(false);
    await expect(screenOf(page)).toHaveCount(0);
    expect(await opened.evaluate((before) => before === document)).toBe(true);
    await expect(input).toBeFocused();
    await expect(input).toHaveValue("Two words");
    await expect(bubbles(page)).toHaveText([/^Hi Writer/, "Before and behind the screen"]);
  });
  await page.reload();
  await openChat(page);
  await expect(input).toHaveValue("Two words");
  await input.press("Enter");
  await expect(input).toHaveValue("");
  await expect(bubbles(page)).toHaveText([/^Hi Writer/, "Before and behind the screen", "Two words"]);

  await test.step("accessibility of the chat and the screen over it", async () => {
    await auditThemes(page, "the chat");
    await page.getByRole("button", { name: "Minimize chat" }).focus();
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await expect(screenOf(page)).toBeVisible();
    await auditThemes(page, "the offline screen");
  });
});

test("moves a writing visitor to Try Again with Tab, and reloads nothing while the server doesn't answer", {
  tag: "@nightly",
}, async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/auth/login");
  await untilHydrated(page);
  await page.getByLabel("Email address").fill("ada@test.example");
  const opened = await page.evaluateHandle(() => document);
  await page.context().setOffline(true);
  await expect(screenOf(page)).toBeVisible();
  await page.keyboard.press("Tab");
  const button = screenOf(page).getByRole("button", { name: "Try Again" });
  await expect(button).toBeFocused();
  const probed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/favicon.svg"));
  await page.keyboard.press("Enter");
  await probed;
  await expect(button).not.toHaveAttribute("aria-busy");
  await page.context().setOffline(false);
  await expect(screenOf(page)).toHaveCount(0);
  expect(await opened.evaluate((before) => before === document)).toBe(true);
  await expect(page.getByLabel("Email address")).toHaveValue("ada@test.example");
});

test("shows the screen when the server is killed, and continues once it responds again", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  allowConsole(page, NO_NETWORK);
  // By the form: the dashboard, to which a link leads without the server, has to be loaded before.
  await signUp(page);
  await page.goto("/dashboard/account");
  await untilHydrated(page);
  await copy.stop();
  await page.getByRole("banner").getByRole("link", { name: "Dashboard" }).click();
  await expect(screenOf(page)).toBeVisible();
  await copy.start();
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
});

async function keepsUnsentOrder(page: Page): Promise<void> {
  const overview = () =>
    page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Overview" }).click();
  await overview();
  await page.waitForURL("/dashboard");
  await choose(page, "Instagram comments, your own text");
  await page.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/draft");
  await page.getByLabel("Comments", { exact: true }).fill("Lovely\nSo true");
  await page.context().setOffline(true);
  await expect(screenOf(page)).toBeVisible();
  await page.context().setOffline(false);
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByLabel("Comments", { exact: true })).toHaveValue("Lovely\nSo true");

  // Restores its service first, because another service has other fields.
  await page.reload();
  await untilHydrated(page);
  await expect(page.getByRole("heading", { name: "Instagram comments, your own text" })).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("https://instagram.com/p/draft");
  await expect(page.getByLabel("Comments", { exact: true })).toHaveValue("Lovely\nSo true");

  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/drafted", quantity: "300" });
  await page.getByRole("button", { name: "Place order · $0.11" }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("");
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Orders", exact: true }).click();
  await page.waitForURL("/dashboard/orders");
  await overview();
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("");
}

test("keeps the lines of a mass order after a reload", { tag: "@nightly" }, async ({ page, copy }) => {
  await signIn(page, copy, "customer", "/dashboard/orders/mass");
  const cell = (column: string) => page.getByRole("textbox", { name: `${column}, line 1`, exact: true });
  await cell("Service").fill("3");
  await cell("Link").fill("https://instagram.com/p/kept");
  await cell("Quantity").fill("100");
  await page.reload();
  await expect(cell("Link")).toHaveValue("https://instagram.com/p/kept");
  await page.getByRole("button", { name: /^Place 1 · / }).click();
  await page.waitForURL(/orders\/mass\/\d+/);
  const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes("mass:")));
  await expect.poll(kept).toEqual([]);
});
