import type { Page } from "@playwright/test";
import { allowConsole, expect, logIn, signIn, signUp, test } from "#tests/e2e/fixtures.ts";
import { choose, fillOrder } from "#tests/e2e/orders/order-form-steps.ts";
import { CUT_OFF, startChat } from "#tests/e2e/support/chat-steps.ts";
import { beOnPhone } from "./native-bridge.ts";

const NO_NETWORK = /ERR_|Failed to fetch|Failed to load|WebSocket/;

function screenOf(page: Page) {
  return page.getByRole("alertdialog", { name: "Connect to the Internet" });
}

test("without a network the screen of the spec stands before everything, and goes when the network is back", async ({
  page,
}) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/privacy-policy");
  await page.waitForLoadState("networkidle");
  await page.context().setOffline(true);
  const screen = screenOf(page);
  await expect(screen).toBeVisible();
  await expect(screen.getByRole("heading", { level: 1 })).toHaveText("Connect to the Internet");
  await expect(screen.getByText("You're offline. Check your connection and try again.", { exact: true })).toBeVisible();
  await expect(screen.getByText("Make sure you have a stable internet connection", { exact: true })).toBeVisible();
  await expect(screen.getByRole("button", { name: "Try Again" })).toBeFocused();
  // Nothing below can be reached, neither by pointer nor by keyboard.
  const box = await screen.boundingBox();
  expect(box).toEqual({ x: 0, y: 0, ...page.viewportSize() });
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("[inert]"))).toBeNull();

  await page.context().setOffline(false);
  await expect(screen).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: "Privacy" })).toBeVisible();
});

test("Try Again loads the page anew", async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/privacy-policy");
  await page.waitForLoadState("networkidle");
  // The device says there is no network, so that the page can still be loaded.
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await Promise.all([page.waitForEvent("load"), screenOf(page).getByRole("button", { name: "Try Again" }).click()]);
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

for (const failure of ["namenotresolved", "internetdisconnected", "failed"] as const) {
  test(`a page that cannot be fetched (${failure}) shows the screen, and comes by itself afterwards`, async ({
    page,
  }) => {
    allowConsole(page, NO_NETWORK);
    await page.goto("/auth/login");
    await page.waitForLoadState("networkidle");
    for (const path of ["**/*.data*", "**/favicon.svg"]) await page.route(path, (route) => route.abort(failure));
    await page.getByRole("link", { name: "Create an account" }).click();
    await expect(screenOf(page)).toBeVisible();
    await page.unrouteAll();
    await expect(page.getByRole("button", { name: "Create account" })).toBeVisible();
    await expect(screenOf(page)).toHaveCount(0);
    expect(new URL(page.url()).pathname).toBe("/auth/signup");
  });
}

test("one request that fails while our server answers is not taken for a lost network", async ({ page }) => {
  allowConsole(page, NO_NETWORK);
  await page.goto("/");
  await page.waitForLoadState("networkidle");
  const probed = page.waitForResponse("**/favicon.svg");
  await page.route("**/support/session", (route) => route.abort("failed"));
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(page.getByText("We couldn't reach the chat.")).toBeVisible();
  await probed;
  await expect(screenOf(page)).toHaveCount(0);
});

test("a killed server brings the screen, and when it answers again the page goes on", async ({ page, copy }) => {
  allowConsole(page, NO_NETWORK);
  await signUp(page);
  await page.goto("/dashboard/account");
  await page.waitForLoadState("networkidle");
  await copy.stop();
  await page.getByRole("banner").getByRole("link", { name: "Dashboard" }).click();
  await expect(screenOf(page)).toBeVisible();
  await copy.start();
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
});

test("in the app the network plugin is believed, not the browser", async ({ context, page }) => {
  allowConsole(page, NO_NETWORK);
  const phone = await beOnPhone(context, "android");
  await page.addInitScript(() => localStorage.setItem("growline.onboarding.app.v1", "seen"));
  await page.goto("/auth/login");
  await expect
    .poll(async () => (await phone.calls(page)).map(({ name }) => name))
    .toEqual(expect.arrayContaining(["Network.getStatus", "Network.addListener"]));
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(page.getByLabel("Email address")).toBeVisible();
  await expect(screenOf(page)).toHaveCount(0);
  await phone.fire(page, "Network", "networkStatusChange", { connected: false, connectionType: "none" });
  await expect(screenOf(page)).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(screenOf(page)).toBeVisible();
  await phone.fire(page, "Network", "networkStatusChange", { connected: true, connectionType: "wifi" });
  await expect(screenOf(page)).toHaveCount(0);
});

test("what was typed in the chat is there after the network was lost, and after a reload", async ({ page }) => {
  allowConsole(page, CUT_OFF);
  await page.goto("/");
  await page.getByRole("button", { name: "Open support chat" }).click();
  await page.getByLabel("Your email").fill("ada@test.example");
  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(page.getByLabel("Your email")).toHaveValue("ada@test.example");

  await startChat(page, "Ada");
  const input = page.getByPlaceholder("Type your message...");
  await input.fill("Half a sen");
  await page.context().setOffline(true);
  await expect(screenOf(page)).toBeVisible();
  await page.context().setOffline(false);
  await expect(screenOf(page)).toHaveCount(0);
  await expect(input).toHaveValue("Half a sen");
  await expect(input).toBeFocused();
  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(input).toHaveValue("Half a sen");
  await input.press("Enter");
  await expect(input).toHaveValue("");
  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(page.getByRole("log")).toContainText("Half a sen");
  await expect(input).toHaveValue("");
});

test("an order that was begun is there after the network was lost and after a reload, until it is placed", async ({
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  await signIn(page, copy, "customer");
  await choose(page, "Instagram comments, your own text");
  await page.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/draft");
  await page.getByLabel("Comments", { exact: true }).fill("Lovely\nSo true");
  await page.context().setOffline(true);
  await expect(screenOf(page)).toBeVisible();
  await page.context().setOffline(false);
  await expect(screenOf(page)).toHaveCount(0);
  await expect(page.getByLabel("Comments", { exact: true })).toHaveValue("Lovely\nSo true");

  // Its service comes back first, because another one has other fields.
  await page.reload();
  await expect(page.getByRole("heading", { name: "Instagram comments, your own text" })).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("https://instagram.com/p/draft");
  await expect(page.getByLabel("Comments", { exact: true })).toHaveValue("Lovely\nSo true");

  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/drafted", quantity: "300" });
  await page.reload();
  await expect(page.getByLabel("Quantity")).toHaveValue("300");
  await page.getByRole("button", { name: "Place order · $0.11" }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("");
  await page.reload();
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("");
});

test("an order that was begun is shown to nobody else in the same tab", async ({ page, copy }) => {
  const { email, password } = copy.demo.customer;
  await logIn(page, email, password);
  await page.waitForURL("/dashboard");
  await page.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/private");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("/");
  // The address changes a moment before the tokens go; a page loaded in between would ask with what is revoked.
  await page.waitForFunction(() => localStorage.getItem("growline.session.v1") === null);
  await signUp(page);
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toBeVisible();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("");
});

test("the lines of a mass order are there after a reload", async ({ page, copy }) => {
  await signIn(page, copy, "customer", "/dashboard/orders/mass");
  const lines = page.getByRole("textbox", { name: /service \| link/ });
  await lines.fill("3 | https://instagram.com/p/kept | 100");
  await page.reload();
  await expect(lines).toHaveValue("3 | https://instagram.com/p/kept | 100");
  await page.getByRole("button", { name: "Check lines" }).click();
  await page.getByRole("button", { name: /Place 1 order/ }).click();
  await page.waitForURL(/orders\/mass\/\d+/);
  const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes("mass:")));
  await expect.poll(kept).toEqual([]);
});
