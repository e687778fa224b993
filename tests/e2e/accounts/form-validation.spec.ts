import { expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";

const CHECK = /\/assets\/check-input-/;

test("loads the check on first input, delays a form that is submitted meanwhile, and reports errors beside their fields", async ({
  page,
}) => {
  const fetched: string[] = [];
  const posted: string[] = [];
  page.on("request", (request) => {
    if (CHECK.test(request.url())) fetched.push(request.url());
    if (request.method() === "POST" && request.url().includes("/auth/signup")) posted.push(request.url());
  });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(CHECK, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/auth/signup");
  // Before hydration, the browser validates the form with its own messages.
  await untilHydrated(page);
  expect(fetched).toEqual([]);
  const email = page.getByLabel("Email address");
  await email.fill("not an address");
  await expect.poll(() => fetched.length).toBe(1);
  await page.getByRole("button", { name: "Create account" }).click();
  release();
  await expect(email).toHaveAccessibleDescription(/name@example\.com/);
  await expect(email).toBeFocused();
  await expect(page.getByText("Choose a password")).toBeVisible();
  // After that, typing is validated.
  await email.fill("ada@test.example");
  await expect(email).not.toHaveAttribute("aria-invalid");
  await expect(page.getByText("Choose a password")).toBeVisible();
  await email.fill("ada@");
  await expect(email).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(email).toBeFocused();
  await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(/at least 8 characters/i);
  expect(posted).toEqual([]);
});
