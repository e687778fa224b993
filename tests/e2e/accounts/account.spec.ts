import type { Browser, Page } from "@playwright/test";
import { allowConsole, expect, logIn, PASSWORD, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

test("logs out another device, and refuses to end another user's session", async ({ page, browser, copy }) => {
  const email = await signUpByRequest(page);
  const phone = await otherDevice(browser, copy, { userAgent: IPHONE });
  // The device may be requesting tokens at the moment it is logged out remotely.
  allowConsole(phone, /status of 40[03]/);
  await logIn(phone, email);
  await phone.waitForURL("/dashboard");
  await page.goto("/dashboard/account");
  const devices = page.getByRole("region", { name: "Logged-in devices" }).getByRole("listitem");
  await expect(devices).toHaveCount(2);
  await expect(devices.filter({ hasText: "Chrome on Linux" })).toContainText("This device");

  const stranger = await otherDevice(browser, copy);
  await signUpByRequest(stranger);
  const id = await page.locator('input[name="id"]').inputValue();
  const stolen = await stranger.request.post("/dashboard/account", { form: { intent: "end-session", id } });
  expect(stolen.status()).toBe(404);

  await page.getByRole("button", { name: "Log out Safari on iPhone" }).click();
  await expect(page.getByText("Device logged out.")).toBeVisible();
  await expect(devices).toHaveCount(1);
  await phone.goto("/dashboard");
  await expect(phone).toHaveURL(/\/auth\/login/);

  await logIn(phone, email);
  await phone.waitForURL("/dashboard");
  await page.reload();
  await page.getByRole("button", { name: "Log out all other devices" }).click();
  await expect(devices).toHaveCount(1);
  await phone.goto("/dashboard");
  await expect(phone).toHaveURL(/\/auth\/login/);
  await phone.context().close();
  await stranger.context().close();
});

test("changes the name and the password, and shows errors beside their fields", async ({ page }) => {
  allowConsole(page, /status of 400/);
  const email = await signUpByRequest(page);
  await page.goto("/dashboard/account");
  await page.getByLabel("Name").fill("Grace Test");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Name saved.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Grace Test" })).toBeVisible();

  const next = "another good password";
  await page.getByLabel("Current password").fill("wrong");
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByLabel("Current password")).toHaveAccessibleDescription("Incorrect password.");
  await expect(page.getByLabel("Current password")).toBeFocused();
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed. Your other devices were logged out.")).toBeVisible();
  // The toast appears before the page has reloaded its data. Leaving now would abort that load, which Remix logs.
  await expect(page.getByRole("button", { name: "Change password" })).not.toHaveAttribute("aria-busy");
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await logIn(page, email, next);
  await page.waitForURL("/dashboard");
});

test("changes the email address once the emailed link is confirmed", async ({ page, copy }) => {
  const email = await signUpByRequest(page);
  const newEmail = `new-${email}`;
  await page.goto("/dashboard/account");
  await page.getByLabel("New email address").fill(newEmail);
  await page.getByLabel("Your password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Send confirmation link" }).click();
  await expect(page.getByText(`Until you confirm it, keep logging in with ${email}.`)).toBeVisible();
  await page.goto(await linkInEmail(copy, newEmail, /Confirm your new email/));
  await page.getByRole("button", { name: "Confirm email address" }).click();
  await expect(page.getByText(`Your email address is now ${newEmail}.`)).toBeVisible();
  await page.getByRole("link", { name: "Go to your profile" }).click();
  await expect(page.getByText(`You log in with ${newEmail}`)).toBeVisible();
});

test("downloads the user's data as one JSON file", async ({ page }) => {
  const email = await signUpByRequest(page);
  await page.goto("/dashboard/account");
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download your data" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("growline-data.json");
  const response = await page.request.get("/dashboard/account/export");
  const held = (await response.json()) as Record<string, unknown>;
  expect(held.account).toMatchObject({ email, fullName: "Ada Test" });
  for (const part of ["sessions", "orders", "ledger", "apiKeys", "support", "gmail", "uploads"]) {
    expect(held, part).toHaveProperty(part);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("saves the name, and focuses the password field after a wrong password", async ({ page }) => {
    allowConsole(page, /status of 400/);
    await signUpByRequest(page);
    await page.goto("/dashboard/account");
    await page.getByLabel("Name").fill("Plain Test");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.getByText("Name saved.")).toBeVisible();
    await page.getByLabel("Current password").fill("wrong");
    await page.getByLabel("New password", { exact: true }).fill("another good password");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByLabel("Current password")).toBeFocused();
  });
});

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

async function otherDevice(browser: Browser, copy: LocalCopy, options: { userAgent?: string } = {}): Promise<Page> {
  const context = await browser.newContext({ baseURL: copy.url, ...options });
  return context.newPage();
}
