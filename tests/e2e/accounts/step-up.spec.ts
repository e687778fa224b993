import type { Page } from "@playwright/test";
import { allowConsole, expect, PASSWORD, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { addAuthenticator, STEP_MS, setUpApp } from "./second-factors.ts";

const ELEVEN_MINUTES_MS = 11 * 60_000;

test.describe("on a phone, by keyboard", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("asks for the password before a key is made, a list exported and the data downloaded, and goes on with it", async ({
    page,
    copy,
  }) => {
    allowConsole(page, /status of 400/);
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/api");
    await untilHydrated(page);
    const name = page.getByLabel("Key name");
    const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
    const password = dialog.getByLabel("Password", { exact: true });

    await test.step("a key, whose form is sent again", async () => {
      await fillKey(page, "Fresh");
      await page.keyboard.press("Enter");
      await expect(page.getByText("Copy the key “Fresh” now.")).toBeVisible();

      await endProof(copy, email);
      await fillKey(page, "Shop");
      await page.keyboard.press("Enter");
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

    const csv = /^growline-\w+-\d{4}-\d{2}-\d{2}\.csv$/;
    // The exports of orders and of transactions are the same kind of link.
    const exports = [
      ["Orders", "/dashboard/orders", "Export CSV", csv],
      ["Transactions", "/dashboard/transactions", "Export CSV", csv],
      ["Account", "/dashboard/account", "Download your data", /^growline-data\.json$/],
    ] as const;
    for (const [tab, path, link, file] of process.env.TEST_TIER === "core" ? exports.slice(1) : exports) {
      await test.step(`${link} of ${path}, which is saved`, async () => {
        await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: tab, exact: true }).click();
        await page.waitForURL(path);
        await endProof(copy, email);
        await page.getByRole("link", { name: link }).click();
        await password.fill(PASSWORD);
        const downloading = page.waitForEvent("download");
        await dialog.getByRole("button", { name: "Confirm" }).click();
        expect((await downloading).suggestedFilename()).toMatch(file);
        await expect(page).toHaveURL(path);
      });
    }
  });
});

test("accepts a code of the authenticator app before it is removed, and a passkey before a key is made and the password changes", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await addAuthenticator(page);
  const email = await signUpConfirmed(page, copy);
  await page.goto("/account/two-step");
  await untilHydrated(page);
  const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
  const tab = (name: string) =>
    page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name, exact: true }).click();

  await test.step("a code, although the session is fresh from the set-up", async () => {
    // With a code one step early, so that the present one is still unused.
    const totp = await setUpApp(page, Date.now() - STEP_MS);
    await endProof(copy, email);
    await page.getByRole("button", { name: "Remove authenticator app" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await expect(dialog.getByLabel("Code")).toBeFocused();
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveCount(0);
    await dialog.getByLabel("Code").fill("000000");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await expect(dialog.getByLabel("Code")).toHaveAccessibleDescription(/This code is wrong/);
    await dialog.getByLabel("Code").fill(totp.generate());
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await expect(page.getByRole("button", { name: "Set up authenticator app" })).toBeVisible();
  });
  await page.getByRole("button", { name: "Add passkey" }).click();
  await expect(page.getByText("Passkey added.")).toBeVisible();

  await test.step("a passkey before a key", async () => {
    await endProof(copy, email);
    await tab("API");
    await fillKey(page, "Shop");
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await expect(page.getByText("Copy the key “Shop” now.")).toBeVisible();
  });
  await test.step("a passkey before the password changes, although the form asks for the password", async () => {
    await endProof(copy, email);
    await tab("Account");
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password").fill(`${PASSWORD} 2`);
    await page.getByRole("button", { name: "Change password" }).click();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await expect(page.getByText("Password changed.")).toBeVisible();
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("asks on a page that leads back to the form or list, and for a code once the account has an app", {
    tag: "@nightly",
  }, async ({ page, copy }) => {
    const email = await signUpConfirmed(page, copy);
    await test.step("a form", async () => {
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
    await test.step("an export, in place of which the page is not saved", async () => {
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
    await test.step("a new address", async () => {
      await page.goto("/account/two-step");
      const totp = await setUpApp(page, Date.now() - STEP_MS);
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

/** Makes the account's last proof older than the guard allows. */
async function endProof(copy: LocalCopy, email: string): Promise<void> {
  const age = "update auth_sessions set verified_at = ? where user_id = (select id from users where email = ?)";
  expect(await copy.changeRows("DB", age, Date.now() - ELEVEN_MINUTES_MS, email)).toBe(1);
}
