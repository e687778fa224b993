import { allowConsole, expect, logIn, PASSWORD, signUpByRequest, test } from "#tests/e2e/fixtures.ts";

test("signs a deleted account out everywhere and refuses to log it in", async ({ page, browser, copy }) => {
  allowConsole(page, /status of 40\d/);
  const email = await signUpByRequest(page);
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
  await expect.poll(() => page.evaluate(() => localStorage.getItem("growline.session.v1"))).toBeNull();

  await other.goto("/dashboard");
  await expect(other).toHaveURL(/\/auth\/login/);
  await logIn(page, email);
  await expect(page.getByText("Invalid email or password. Please check your credentials and try again.")).toBeVisible();
  await other.context().close();
});

test("explains account deletion without a session and leads to it through log-in", async ({ page, browser, copy }) => {
  const response = await page.goto("/account/delete");
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { name: "We delete" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "We keep" })).toBeVisible();
  await expect(page.getByLabel("Your password")).toHaveCount(0);
  await page.getByRole("link", { name: "Log in to delete your account" }).click();
  await page.waitForURL("/auth/login?redirectTo=%2Faccount%2Fdelete");
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL("/account/delete");
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeVisible();
  await expect(page.getByText(copy.demo.customer.email)).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete my account" })).toBeVisible();
  // A request without a session or password deletes nothing.
  const stranger = await browser.newContext({ baseURL: copy.url });
  const posted = await stranger.request.post("/account/delete", {
    form: { password: copy.demo.customer.password },
    headers: { Origin: copy.url },
    maxRedirects: 0,
  });
  expect(posted.status()).toBe(302);
  expect(posted.headers().location).toContain("/auth/login");
  await stranger.close();
});
