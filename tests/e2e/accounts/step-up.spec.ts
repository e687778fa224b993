import { allowConsole, expect, PASSWORD, signUp, test } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";

const ELEVEN_MINUTES_MS = 11 * 60_000;

test.describe("on a phone, by keyboard", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("asks for the password before a key is made, sends the form again and remembers it", async ({ page, copy }) => {
    allowConsole(page, /status of 400/);
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/api");
    const name = page.getByLabel("Key name");
    await name.fill("Fresh");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Copy the key “Fresh” now.")).toBeVisible();

    await endProof(copy, email);
    await name.fill("Shop");
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

    await name.fill("Third");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Copy the key “Third” now.")).toBeVisible();
  });
});

test("asks before the data is downloaded", async ({ page, copy }) => {
  const email = await signUp(page);
  await page.goto("/dashboard/account");
  await endProof(copy, email);
  await page.getByRole("link", { name: "Download your data" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  expect((await downloading).suggestedFilename()).toBe("growline-data.json");
  await expect(page).toHaveURL("/dashboard/account");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("asks on a page that leads back to the form", async ({ page, copy }) => {
    const email = await signUpConfirmed(page, copy);
    await page.goto("/dashboard/api");
    await endProof(copy, email);
    await page.getByLabel("Key name").fill("Shop");
    await page.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByRole("heading", { name: "Confirm it's you" })).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("/dashboard/api");
    await expect(page.getByText("No API keys yet")).toBeVisible();
    await page.getByLabel("Key name").fill("Shop");
    await page.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByText("Copy the key “Shop” now.")).toBeVisible();
  });
});

/** Makes the account's last proof older than the guard allows. */
async function endProof(copy: LocalCopy, email: string): Promise<void> {
  const database = await openDatabase({ remote: false, stateDir: copy.stateDir });
  const age = database.binding
    .prepare("update auth_sessions set verified_at = ? where user_id = (select id from users where email = ?)")
    .bind(Date.now() - ELEVEN_MINUTES_MS, email);
  await whenFree(() => age.run());
  await database.close();
}
