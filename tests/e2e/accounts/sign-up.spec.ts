import { allowConsole, expect, PASSWORD, submitLogIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";

test("signs up where the check of the form cannot be loaded, logs out, and returns to the requested page after refused log-ins", async ({
  page,
  copy,
}) => {
  allowConsole(page, /status of 4|ERR_FAILED|check-input/);
  await page.route(/\/assets\/check-input-/, (route) => route.abort());
  await page.goto("/auth/signup");
  await untilHydrated(page);
  const email = `${crypto.randomUUID()}@test.example`;

  await test.step("errors of the server", async () => {
    await page.getByLabel("Email address").fill("not an address");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
    await expect(page.getByLabel("Email address")).toBeFocused();
    await expect(page.getByLabel("Email address")).toHaveValue("not an address");
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(/at least 8 characters/i);
  });
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/dashboard");
  await expect(page.getByText("$0.00").first()).toBeVisible();
  expect((await page.request.get("/admin")).status()).toBe(404);

  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await page.goto("/dashboard?service=3");
  await expect(page).toHaveURL("/auth/login?redirectTo=%2Fdashboard%3Fservice%3D3");
  await untilHydrated(page);

  await test.step("refused log-ins, with the spec's errors", async () => {
    await submitLogIn(page, "nobody@test.example", "whatever it is");
    await expect(
      page.getByText("Invalid email or password. Please check your credentials and try again."),
    ).toBeVisible();
    await expect(page.getByLabel("Email address")).toHaveValue("nobody@test.example");
    await submitLogIn(page, copy.demo.customer.email, "not the password");
    await expect(page.getByText("No legacy password found.")).toBeVisible();
  });
  await submitLogIn(page, email.toUpperCase());
  await page.waitForURL("/dashboard?service=3");

  await test.step("a redirect to another site", async () => {
    const response = await page.request.post("/auth/login", {
      form: { email, password: PASSWORD, redirectTo: "//evil.example/" },
      headers: { Origin: copy.url },
      maxRedirects: 0,
    });
    expect(response.headers().location).toBe("/dashboard");
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("signs up, changes the name, logs out, orders and asks for a new password; an error keeps the input and takes the focus", async ({
    page,
    copy,
  }) => {
    allowConsole(page, /status of 4\d\d/);
    const password = page.getByLabel("Password", { exact: true });
    const email = `${crypto.randomUUID()}@test.example`;
    await test.step("sign-up", async () => {
      await page.goto("/auth/signup");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email address").fill(email);
      await password.fill("password");
      await page.getByRole("button", { name: "Create account" }).click();
      await expect(password).toHaveAttribute("aria-invalid", "true");
      await expect(password).toBeFocused();
      await expect(page.getByLabel("Email address")).toHaveValue(email);
      await expect(password).toHaveValue("");
      await password.fill(PASSWORD);
      await page.getByRole("button", { name: "Create account" }).click();
      await page.waitForURL("/dashboard");
    });
    await test.step("account", async () => {
      await page.goto("/dashboard/account");
      await page.getByLabel("Name").fill("Plain Test");
      await page.getByRole("button", { name: "Save name" }).click();
      await expect(page.getByText("Name saved.")).toBeVisible();
      await page.getByLabel("Current password").fill("wrong");
      await page.getByLabel("New password", { exact: true }).fill("another good password");
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page.getByLabel("Current password")).toBeFocused();
    });
    await test.step("log-out, log-in and order", async () => {
      await page.getByRole("button", { name: "Log out" }).click();
      await page.waitForURL("/");
      await page.getByRole("link", { name: "Log in" }).first().click();
      await submitLogIn(page, copy.demo.customer.email, copy.demo.customer.password);
      await page.getByLabel("Link").fill("https://instagram.com/growline");
      await page.getByLabel("Quantity").fill("1000");
      await page.getByRole("button", { name: /Place order/ }).click();
      await expect(page.getByRole("row", { name: /instagram\.com\/growline/ })).toBeVisible();
    });
    await test.step("new password, with a fourth email within an hour", async () => {
      await page.context().clearCookies();
      await page.goto("/reset-password");
      const ask = async (address: string) => {
        // The browser's own check would stop a bad address before the server sees it.
        await page.getByLabel("Email address").evaluate((input) => input.setAttribute("type", "text"));
        await page.getByLabel("Email address").fill(address);
        await page.getByRole("button", { name: "Send reset link" }).click();
      };
      await ask("not an address");
      await expect(page.getByLabel("Email address")).toBeFocused();
      await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
      const nobody = `${crypto.randomUUID()}@test.example`;
      await ask(nobody);
      await expect(page.getByText(/we've sent a link/)).toBeVisible();
      const form = { email: nobody };
      for (let i = 0; i < 2; i++) await page.request.post("/reset-password", { form, headers: { Origin: copy.url } });
      await page.goto("/reset-password");
      await ask(nobody);
      await expect(page.getByRole("alert")).toHaveText("Too many attempts. Please try again in 60 minutes.");
      await expect(page.getByRole("alert")).toBeFocused();
    });
  });
});
