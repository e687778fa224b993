import type { Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, otherPage, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";
import { setUpApp } from "./second-factors.ts";

test("suspends an account with a reason, whose owner can't log in, and reactivates it", async ({
  browser,
  page: customer,
  copy,
}) => {
  allowConsole(customer, /40[03]/);
  const email = await signUpByRequest(customer);
  const admin = await otherPage(browser, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
  await admin.getByRole("link", { name: email }).click();
  const card = admin.getByRole("region", { name: "Access" });
  await card.getByLabel("Reason").fill("Charged back twice");
  await card.getByRole("button", { name: "Suspend account" }).click();
  await confirm(admin, "Suspend account");
  await expect(card.getByText("Suspended")).toBeVisible();
  // Its session has ended, too.
  await customer.goto("/dashboard");
  await customer.waitForURL(/\/auth\/login/);
  await submitLogIn(customer, email);
  await expect(customer.getByText("This account is suspended. Contact support.")).toBeVisible();
  await card.getByLabel("Reason").fill("A mistake");
  await card.getByRole("button", { name: "Reactivate account" }).click();
  await confirm(admin, "Reactivate account");
  await expect(card.getByText("Active")).toBeVisible();
  const logIn = { form: { email, password: PASSWORD }, headers: { Origin: copy.url }, maxRedirects: 0 };
  expect((await customer.request.post("/auth/login", logIn)).headers().location).toBe("/dashboard");
  await admin.context().close();
});

test("removes a customer's two-step login", { tag: "@nightly" }, async ({ browser, page: customer, copy }) => {
  // The page may be requesting tokens when its session ends, and the log-in is refused.
  allowConsole(customer, /40[03]/);
  const email = await signUpConfirmed(customer, copy);
  await customer.goto("/account/two-step");
  await setUpApp(customer);
  const admin = await otherPage(browser, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
  await admin.setViewportSize({ width: 390, height: 800 });
  await admin.getByRole("link", { name: email }).click();
  const card = admin.getByRole("region", { name: "Access" });

  await card.getByLabel("Reason").fill("Lost the phone and the codes");
  await auditPage(admin, "the access of a customer with a second factor");
  await card.getByRole("button", { name: "Remove two-step login" }).click();
  await confirm(admin, "Remove two-step login");
  await expect(admin.getByText("Two-step login removed.")).toBeVisible();
  await expect(card.getByRole("button", { name: "Remove two-step login" })).toHaveCount(0);
  expect(await linkInEmail(copy, email, /two-step login of your .+ was removed/)).toContain("/account/two-step");
  // By password alone.
  await customer.goto("/dashboard");
  await customer.waitForURL(/\/auth\/login/);
  await submitLogIn(customer, email);
  await customer.waitForURL("/dashboard");
  await admin.context().close();
});

async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: button }).click();
}
