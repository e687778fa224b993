import type { Browser, Locator, Page } from "@playwright/test";
import { expect, otherPage, PASSWORD, signIn, test } from "#tests/e2e/fixtures.ts";
import { tabTo } from "#tests/e2e/site/tab-keys.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

test("finds and orders a service, switches the theme and leaves a dialog by keyboard alone", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await orderByKeyboard(page);
  await press(page, page.getByRole("button", { name: "Use the light theme" }));
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await press(page, page.getByRole("button", { name: "Open support chat" }));
  await expect(page.getByRole("dialog", { name: "Support Chat" }).locator(":focus")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Support Chat" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: /support chat/i })).toBeFocused();
});

test("signs up, tops up, orders, chats, switches the theme and logs out by keyboard alone", {
  tag: "@nightly",
}, async ({ page, browser, copy }) => {
  test.setTimeout(120_000);
  const code = await newCode(browser, copy);
  const { keyboard } = page;
  await page.goto("/");
  await press(page, page.getByRole("banner").getByRole("link", { name: "Sign up" }));
  await page.waitForURL("/auth/signup");
  await type(page, page.getByLabel("Name"), "Ada Keys");
  await type(page, page.getByLabel("Email address"), `${crypto.randomUUID()}@test.example`);
  await type(page, page.getByLabel("Password", { exact: true }), PASSWORD);
  await keyboard.press("Enter");
  await page.waitForURL("/dashboard");

  await press(page, page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Top up" }));
  await page.waitForURL("/dashboard/top-up");
  await type(page, page.getByLabel("Code", { exact: true }), code);
  await keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /Balance/ })).toContainText("$5.00");

  await press(page, page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Overview" }));
  await page.waitForURL("/dashboard");
  await orderByKeyboard(page);

  await press(page, page.getByRole("button", { name: "Open support chat" }));
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  await expect(page.getByLabel("Your name")).toBeFocused();
  await expect(page.getByLabel("Your name")).toHaveValue("Ada Keys");
  await keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await keyboard.type("Hello from the keyboard");
  await keyboard.press("Enter");
  await expect(page.getByRole("log")).toContainText("Hello from the keyboard");
  await keyboard.press("Escape");
  await expect(chat).toHaveCount(0);
  await expect(page.getByRole("button", { name: /support chat/i })).toBeFocused();

  await press(page, page.getByRole("button", { name: "Use the light theme" }));
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await press(page, page.getByRole("button", { name: "Log out" }));
  await page.waitForURL("/");
  await expect(page.getByRole("banner").getByRole("link", { name: "Log in" })).toBeVisible();
});

/** Finds a service in the order form that is open, and orders it. */
async function orderByKeyboard(page: Page): Promise<void> {
  const { keyboard } = page;
  const find = page.getByLabel("Find a service", { exact: true });
  await type(page, find, "instagram likes");
  await expect(page.getByRole("listbox", { name: "Services" }).getByRole("option").first()).toContainText("likes");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Instagram likes", exact: true })).toBeVisible();
  await type(page, page.getByLabel("Link", { exact: true }), "https://instagram.com/p/keys");
  await keyboard.press("Tab");
  await keyboard.type("200");
  await press(page, page.getByRole("button", { name: /^Place order · \$/ }));
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
}

/** Presses Tab until the target has the focus, and checks that its outline shows it. */
async function reach(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await expect(target).not.toHaveCSS("outline-style", "none");
  await expect(target).not.toHaveCSS("outline-width", "0px");
}

async function press(page: Page, target: Locator): Promise<void> {
  await reach(page, target);
  await page.keyboard.press("Enter");
}

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field);
  await page.keyboard.type(text);
}

/** Creates a code worth $5 as staff. */
async function newCode(browser: Browser, copy: LocalCopy): Promise<string> {
  const page = await otherPage(browser, copy, "admin", "/admin/codes");
  await page.getByLabel("Name").fill("keyboard");
  await page.getByLabel("Amount in USD").fill("5");
  await page.getByRole("button", { name: "Create codes" }).click();
  const codes = page.getByLabel("New codes");
  await expect(codes).toHaveValue(/GL-/);
  const [code = ""] = (await codes.inputValue()).split("\n");
  await page.context().close();
  return code;
}
