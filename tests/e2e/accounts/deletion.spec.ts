import { allowConsole, expect, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";

test("explains account deletion without a session, leads to it through log-in, and signs the deleted account out everywhere", async ({
  page,
  browser,
  copy,
}) => {
  allowConsole(page, /status of 40\d/);
  const elsewhere = await browser.newContext({ baseURL: copy.url });
  const other = await elsewhere.newPage();
  const email = await signUpByRequest(other);
  const response = await page.goto("/account/delete");
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { name: "We delete" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "We keep" })).toBeVisible();
  await expect(page.getByLabel("Your password")).toHaveCount(0);
  // A request without a session or password deletes nothing.
  const posted = await page.request.post("/account/delete", {
    form: { password: PASSWORD },
    headers: { Origin: copy.url },
    maxRedirects: 0,
  });
  expect(posted.status()).toBe(302);
  expect(posted.headers().location).toContain("/auth/login");

  await page.getByRole("link", { name: "Log in to delete your account" }).click();
  await page.waitForURL("/auth/login?redirectTo=%2Faccount%2Fdelete");
  await submitLogIn(page, email);
  await page.waitForURL("/account/delete");
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeVisible();
  await expect(page.getByText(email)).toBeVisible();
  expect(await (await other.request.get("/dashboard/account")).text()).toContain('href="/account/delete"');

  await expect(page.getByRole("heading", { name: "We delete" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "We keep" })).toBeVisible();
  await page.getByLabel("Your password").fill("wrong");
  await page.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByLabel("Your password")).toHaveAccessibleDescription("Incorrect password.");
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByText("Your account was deleted.")).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("growline.session.v1"))).toBeNull();

  expect((await other.request.get("/dashboard")).url()).toContain("/auth/login");
  await page.getByRole("link", { name: "Log in" }).click();
  await submitLogIn(page, email);
  await expect(page.getByText("Invalid email or password. Please check your credentials and try again.")).toBeVisible();
  await elsewhere.close();
});
