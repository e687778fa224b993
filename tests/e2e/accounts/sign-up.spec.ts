import { allowConsole, expect, logIn, signIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";

test("signs up, logs out, and returns to the requested page after log-in", async ({ page }) => {
  const email = `${crypto.randomUUID()}@test.example`;
  await page.goto("/auth/signup");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/dashboard");
  await expect(page.getByText("$0.00").first()).toBeVisible();

  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await page.goto("/dashboard?service=3");
  await expect(page).toHaveURL("/auth/login?redirectTo=%2Fdashboard%3Fservice%3D3");
  await page.getByLabel("Email address").fill(email.toUpperCase());
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL("/dashboard?service=3");
});

test("shows the spec's errors for a refused log-in, and keeps the email but not the password", async ({
  page,
  copy,
}) => {
  allowConsole(page, /status of 400/);
  await page.goto("/auth/login");
  await page.getByLabel("Email address").fill("nobody@test.example");
  await page.getByLabel("Password", { exact: true }).fill("whatever it is");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByText("Invalid email or password. Please check your credentials and try again.")).toBeVisible();
  await expect(page.getByLabel("Email address")).toHaveValue("nobody@test.example");
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByText("No legacy password found.")).toBeVisible();
});

test("shows errors beside their fields and focuses the first", async ({ page }) => {
  await page.goto("/auth/signup");
  // Before hydration, the browser validates the form with its own messages.
  await untilHydrated(page);
  await page.getByLabel("Email address").fill("not an address");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByLabel("Email address")).toBeFocused();
  await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
  await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(/at least 8 characters/i);
});

test("ignores a redirect to another site", async ({ page, copy }) => {
  await page.goto("/auth/login?redirectTo=//evil.example/");
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL("/dashboard");
});

test("hides the console from a customer", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  const response = await page.request.get("/admin");
  expect(response.status()).toBe(404);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("logs in, orders and logs out", async ({ page, copy }) => {
    await logIn(page, copy.demo.customer.email, copy.demo.customer.password);
    await page.getByLabel("Link").fill("https://instagram.com/growline");
    await page.getByLabel("Quantity").fill("1000");
    await page.getByRole("button", { name: /Place order/ }).click();
    await expect(page.getByRole("row", { name: /instagram\.com\/growline/ })).toBeVisible();
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  });
});
