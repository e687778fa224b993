import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";

test("credits a card payment once if the server is killed while Stripe sends its event", async ({ page, copy }) => {
  await signUpConfirmed(page, copy);
  await page.goto("/dashboard/top-up");
  await page.getByRole("button", { name: "$50", exact: true }).click();
  await page.getByRole("button", { name: "Pay $50.00 by card" }).click();
  const button = page.getByRole("button", { name: "Pay $50.00", exact: true });
  await expect(page.getByRole("heading", { name: "Stand-in for Stripe" })).toBeVisible();
  copy.killWorkerd();
  // The page to return to is down as well.
  allowConsole(page, /ERR_CONNECTION|Failed to load/);
  await button.click({ noWaitAfter: true });
  await copy.untilReady();
  await expect(async () => {
    await page.goto("/dashboard/top-up");
    await expect(page.getByText("Balance $50.00")).toBeVisible({ timeout: 2000 });
  }).toPass();
});
