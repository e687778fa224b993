import { allowConsole, expect, logIn, PASSWORD, signUp, test } from "#tests/e2e/fixtures.ts";

test("signs a deleted account out everywhere and refuses to log it in", async ({ page, browser, copy }) => {
  allowConsole(page, /status of 40\d/);
  const email = await signUp(page);
  const other = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await logIn(other, email);
  await other.waitForURL("/dashboard");

  await page.goto("/dashboard/account");
  await page.getByRole("link", { name: "Delete account" }).click();
  await expect(page.getByRole("heading", { name: "We delete" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "We keep" })).toBeVisible();
  await page.getByLabel("Your password").fill("wrong");
  await page.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByLabel("Your password")).toHaveAccessibleDescription("Incorrect password.");
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByText("Your account was deleted.")).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("growline.session.v1"))).toBeNull();

  await other.goto("/dashboard");
  await expect(other).toHaveURL(/\/auth\/login/);
  await logIn(page, email);
  await expect(page.getByText("Invalid email or password. Please check your credentials and try again.")).toBeVisible();
  await other.context().close();
});
