import { allowConsole, expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";

test.describe("client-side validation", () => {
  const CHECK = /\/assets\/check-input-/;

  test("loads on first input, not with the page, and reports errors before submitting", async ({ page }) => {
    const fetched: string[] = [];
    const posted: string[] = [];
    page.on("request", (request) => {
      if (CHECK.test(request.url())) fetched.push(request.url());
      if (request.method() === "POST") posted.push(request.url());
    });
    await page.goto("/auth/signup");
    await untilHydrated(page);
    expect(fetched).toEqual([]);
    await page.getByLabel("Email address").fill("not an address");
    await expect.poll(() => fetched.length).toBe(1);
    await page.getByRole("button", { name: "Create account" }).click();
    const email = page.getByLabel("Email address");
    await expect(email).toHaveAccessibleDescription(/name@example\.com/);
    await expect(email).toBeFocused();
    await expect(page.getByText("Choose a password")).toBeVisible();
    // After that, typing is validated.
    await email.fill("ada@test.example");
    await expect(email).not.toHaveAttribute("aria-invalid");
    await expect(page.getByText("Choose a password")).toBeVisible();
    await email.fill("ada@");
    await expect(email).toHaveAttribute("aria-invalid", "true");
    expect(posted.filter((url) => url.includes("/auth/signup"))).toEqual([]);
  });

  test("delays a form that is submitted while it loads", async ({ page }) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(CHECK, async (route) => {
      await released;
      await route.continue();
    });
    const posted: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/auth/signup")) posted.push(request.url());
    });
    await page.goto("/auth/signup");
    await untilHydrated(page);
    const email = page.getByLabel("Email address");
    await email.fill("not an address");
    await page.getByRole("button", { name: "Create account" }).click();
    release();
    await expect(email).toHaveAccessibleDescription(/name@example\.com/);
    await expect(email).toBeFocused();
    expect(posted).toEqual([]);
  });

  test("leaves errors to the server if it cannot be loaded", async ({ page }) => {
    allowConsole(page, /status of 4|ERR_FAILED|check-input/);
    await page.route(CHECK, (route) => route.abort());
    await page.goto("/auth/signup");
    await untilHydrated(page);
    await page.getByLabel("Email address").fill("not an address");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/name@example\.com/);
    await expect(page.getByLabel("Email address")).toBeFocused();
    await expect(page.getByLabel("Email address")).toHaveValue("not an address");
  });
});
