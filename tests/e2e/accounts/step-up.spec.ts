import type { Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { allowConsole, expect, PASSWORD, signUpByRequest, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const STEP_MS = 30_000;
const ELEVEN_MINUTES_MS = 11 * 60_000;

test.describe("on a phone, by keyboard", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("asks for the password before a key is made, sends the form again and remembers it", async ({ page, copy }) => {
    allowConsole(page, /status of 400/);
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/api");
    await untilHydrated(page);
    const name = page.getByLabel("Key name");
    await fillKey(page, "Fresh");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Copy the key “Fresh” now.")).toBeVisible();

    await endProof(copy, email);
    await fillKey(page, "Shop");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
    const password = dialog.getByLabel("Password", { exact: true });
    await expect(password).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(name).toBeFocused();
    await expect(name).toHaveValue("Shop");

    await page.keyboard.press("Enter");
    await expect(password).toBeFocused();
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await expect(password).toHaveAccessibleDescription("Incorrect password.");
    await expect(password).toBeFocused();
    await password.fill(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText("Copy the key “Shop” now.")).toBeVisible();
    await expect(page.getByRole("row", { name: /Shop/ })).toHaveCount(1);

    await fillKey(page, "Third");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Copy the key “Third” now.")).toBeVisible();
  });
});

test("asks before the data is downloaded", async ({ page, copy }) => {
  const email = await signUpByRequest(page);
  await page.goto("/dashboard/account");
  await untilHydrated(page);
  await endProof(copy, email);
  await page.getByRole("link", { name: "Download your data" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  expect((await downloading).suggestedFilename()).toBe("growline-data.json");
  await expect(page).toHaveURL("/dashboard/account");
});

test("accepts a code of the authenticator app, and asks again before it is removed", async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  const email = await signUpConfirmed(page, copy);
  await page.goto("/account/two-step");
  const totp = await setUpApp(page);

  await endProof(copy, email);
  await page.goto("/account/two-step");
  await page.getByRole("button", { name: "Remove authenticator app" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
  await expect(dialog.getByLabel("Code")).toBeFocused();
  await expect(dialog.getByLabel("Password", { exact: true })).toHaveCount(0);
  await dialog.getByLabel("Code").fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog.getByLabel("Code")).toHaveAccessibleDescription(/This code is wrong/);
  await dialog.getByLabel("Code").fill(totp.generate());
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("button", { name: "Set up authenticator app" })).toBeVisible();
});

test("asks for a passkey before the password changes, although the form asks for the password", async ({
  page,
  copy,
}) => {
  await signUpWithPasskey(page, copy);
  await page.goto("/dashboard/account");
  await untilHydrated(page);
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByLabel("New password").fill(`${PASSWORD} 2`);
  await page.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByText("Password changed.")).toBeVisible();
});

test("accepts a passkey", async ({ page, copy }) => {
  await signUpWithPasskey(page, copy);
  await page.goto("/dashboard/api");
  await untilHydrated(page);
  await fillKey(page, "Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByText("Copy the key “Shop” now.")).toBeVisible();
});

test("asks before a list is exported, and saves it once the person has confirmed", async ({ page, copy }) => {
  const email = await signUpByRequest(page);
  for (const path of ["/dashboard/orders", "/dashboard/transactions"]) {
    await page.goto(path);
    await untilHydrated(page);
    await endProof(copy, email);
    await page.getByRole("link", { name: "Export CSV" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
    await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
    const downloading = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    expect((await downloading).suggestedFilename()).toMatch(/^growline-\w+-\d{4}-\d{2}-\d{2}\.csv$/);
    expect(new URL(page.url()).pathname).toBe(path);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("shows the page that asks instead of saving it as an export, and leads back to the list", async ({
    page,
    copy,
  }) => {
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/orders?status=completed");
    await endProof(copy, email);
    const downloads: string[] = [];
    page.on("download", (download) => downloads.push(download.suggestedFilename()));
    await page.getByRole("link", { name: "Export CSV" }).click();
    await expect(page.getByRole("heading", { name: "Confirm it's you" })).toBeVisible();
    expect(downloads).toEqual([]);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("/dashboard/orders?status=completed");
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export CSV" }).click();
    expect((await downloading).suggestedFilename()).toMatch(/\.csv$/);
  });

  test("asks on a page that leads back to the form", async ({ page, copy }) => {
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/api");
    await endProof(copy, email);
    await fillKey(page, "Shop");
    await page.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByRole("heading", { name: "Confirm it's you" })).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("/dashboard/api");
    await expect(page.getByText("No API keys yet")).toBeVisible();
    await fillKey(page, "Shop");
    await page.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByText("Copy the key “Shop” now.")).toBeVisible();
  });

  test("asks for a code before the address of an account with an app changes", async ({ page, copy }) => {
    const email = await signUpConfirmed(page, copy);
    await page.goto("/account/two-step");
    const totp = await setUpApp(page);
    await page.goto("/dashboard/account");
    await endProof(copy, email);
    await requestAddress(page, `new-${email}`);
    await expect(page.getByRole("heading", { name: "Confirm it's you" })).toBeVisible();
    await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
    await page.getByLabel("Code").fill(totp.generate());
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("/dashboard/account");
    await requestAddress(page, `new-${email}`);
    await expect(page.getByText(`We sent a link to new-${email}.`)).toBeVisible();
  });
});

async function requestAddress(page: Page, address: string): Promise<void> {
  await page.getByLabel("New email address").fill(address);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Send confirmation link" }).click();
}

/** Fills in the form of a test key, which an account may make before its address is confirmed. */
async function fillKey(page: Page, name: string): Promise<void> {
  await page.getByLabel("Permissions").selectOption("test");
  await page.getByLabel("Key name").fill(name);
}

async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Sets up an authenticator app, with a code one step early, so that the present one is still unused. */
async function setUpApp(page: Page): Promise<TOTP> {
  await page.getByRole("button", { name: "Set up authenticator app" }).click();
  const secret = (await page.locator("code").first().textContent()) ?? "";
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) });
  await page.getByLabel("Code from your app").fill(totp.generate({ timestamp: Date.now() - STEP_MS }));
  await page.getByRole("button", { name: "Confirm code" }).click();
  await expect(page.getByText("You have 10 of 10 recovery codes left.")).toBeVisible();
  return totp;
}

/** Makes the account's last proof older than the guard allows. */
async function endProof(copy: LocalCopy, email: string): Promise<void> {
  const age = "update auth_sessions set verified_at = ? where user_id = (select id from users where email = ?)";
  expect(await copy.changeRows("DB", age, Date.now() - ELEVEN_MINUTES_MS, email)).toBe(1);
}

/** Signs up an account that has a passkey, and whose proof of the log-in is too old. */
async function signUpWithPasskey(page: Page, copy: LocalCopy): Promise<void> {
  await addAuthenticator(page);
  const email = await signUpConfirmed(page, copy);
  await page.goto("/account/two-step");
  await page.getByRole("button", { name: "Add passkey" }).click();
  await expect(page.getByText("Passkey added.")).toBeVisible();
  await endProof(copy, email);
}
