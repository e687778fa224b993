import { allowConsole, expect, logIn, PASSWORD, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail } from "#tests/e2e/received-emails.ts";

const NEXT = "another good password";

test("sets a new password once by the emailed link, and signs out every device", async ({ page, browser, copy }) => {
  const email = await signUpByRequest(page);
  const visitor = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await visitor.goto("/auth/login");
  await visitor.getByRole("link", { name: "Forgot your password?" }).click();
  // The previous page has an email field too.
  await visitor.waitForURL(/reset-password/);
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

  await page.goto("/dashboard");
  await expect(page).toHaveURL(/\/auth\/login/);
  await logIn(visitor, email, PASSWORD);
  await expect(visitor.getByText("No legacy password found.")).toBeVisible();
  await logIn(visitor, email, NEXT);
  await visitor.waitForURL("/dashboard");
  await visitor.goto(link);
  await expect(visitor.getByText("This link was used or has expired. Request a new one.")).toBeVisible();
  await visitor.context().close();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("focuses the field with an error, and refuses a fourth email within an hour with the time to wait", async ({
    page,
  }) => {
    allowConsole(page, /status of 4\d\d/);
    await page.goto("/auth/start");
    await page.getByRole("link", { name: "Log in" }).last().click();
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    const ask = async (email: string) => {
      await page.goto("/reset-password");
      // The browser's own check would stop a bad address before the server sees it.
      await page.getByLabel("Email address").evaluate((input) => input.setAttribute("type", "text"));
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Send reset link" }).click();
    };
    await ask("not an address");
    await expect(page.getByLabel("Email address")).toBeFocused();
    await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
    const nobody = `${crypto.randomUUID()}@test.example`;
    for (let i = 0; i < 3; i++) await ask(nobody);
    await expect(page.getByText(/we've sent a link/)).toBeVisible();
    await ask(nobody);
    await expect(page.getByRole("alert")).toHaveText("Too many attempts. Please try again in 60 minutes.");
    await expect(page.getByRole("alert")).toBeFocused();
  });
});
