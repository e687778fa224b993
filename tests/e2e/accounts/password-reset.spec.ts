import { allowConsole, expect, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail } from "#tests/e2e/received-emails.ts";

const NEXT = "another good password";

test("sets a new password once by the emailed link, and signs out every device", async ({ page, browser, copy }) => {
  const email = await signUpByRequest(page);
  const visitor = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await visitor.goto("/auth/login");
  await visitor.getByRole("link", { name: "Forgot your password?" }).click();
  // The previous page has an email field too, and the address changes before the new page is painted.
  await expect(visitor.getByRole("button", { name: "Send reset link" })).toBeVisible();
  await visitor.getByLabel("Email address").fill(email.toUpperCase());
  await visitor.getByRole("button", { name: "Send reset link" }).click();
  await expect(visitor.getByText(/we've sent a link/)).toBeVisible();

  const link = await linkInEmail(copy, email, /Reset your/);
  await visitor.goto(link);
  allowConsole(visitor, /status of 400/);
  await visitor.getByLabel("New password", { exact: true }).fill("password1");
  await visitor.getByRole("button", { name: "Set password" }).click();
  await expect(visitor.getByLabel("New password", { exact: true })).toHaveAccessibleDescription(/too common/);
  await visitor.getByLabel("New password", { exact: true }).fill(NEXT);
  await expect(visitor.getByText("Very good length.")).toBeVisible();
  await visitor.getByRole("button", { name: "Set password" }).click();
  await expect(visitor.getByText("Password changed. Log in with your new password.")).toBeVisible();

  expect((await page.request.get("/dashboard")).url()).toContain("/auth/login");
  await submitLogIn(visitor, email, PASSWORD);
  await expect(visitor.getByText("No legacy password found.")).toBeVisible();
  await submitLogIn(visitor, email, NEXT);
  await visitor.waitForURL("/dashboard");
  expect(await (await visitor.request.get(link)).text()).toContain(
    "This link was used or has expired. Request a new one.",
  );
  await visitor.context().close();
});
