import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, otherPage, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";
import { setUpApp } from "./second-factors.ts";

test("removes a customer's two-step login, suspends the account with a reason and reactivates it", async ({
  browser,
  page: customer,
  copy,
}) => {
  // The page may be requesting tokens when its session ends, and the log-in is refused.
  allowConsole(customer, /40[03]/);
  const email = await signUpConfirmed(customer, copy);
  await customer.goto("/account/two-step");
  await setUpApp(customer);
  const admin = await otherPage(browser, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
  await admin.setViewportSize({ width: 390, height: 800 });
  await admin.getByRole("link", { name: email }).click();
  const card = admin.getByRole("region", { name: "Access" });
  const confirmed = (button: string) => admin.getByRole("dialog").getByRole("button", { name: button }).click();

  await test.step("two-step login", async () => {
    await card.getByLabel("Reason").fill("Lost the phone and the codes");
    await auditPage(admin, "the access of a customer with a second factor");
    await card.getByRole("button", { name: "Remove two-step login" }).click();
    await confirmed("Remove two-step login");
    await expect(admin.getByText("Two-step login removed.")).toBeVisible();
    await expect(card.getByRole("button", { name: "Remove two-step login" })).toHaveCount(0);
    expect(await linkInEmail(copy, email, /two-step login of your .+ was removed/)).toContain("/account/two-step");
    // By password alone.
    await customer.goto("/dashboard");
    await customer.waitForURL(/\/auth\/login/);
    await submitLogIn(customer, email);
    await customer.waitForURL("/dashboard");
  });

  await test.step("suspension", async () => {
    await card.getByLabel("Reason").fill("Charged back twice");
    await card.getByRole("button", { name: "Suspend account" }).click();
    await confirmed("Suspend account");
    await expect(card.getByText("Suspended")).toBeVisible();
    await customer.goto("/dashboard");
    await customer.waitForURL(/\/auth\/login/);
    await submitLogIn(customer, email);
    await expect(customer.getByText("This account is suspended. Contact support.")).toBeVisible();
    await card.getByLabel("Reason").fill("A mistake");
    await card.getByRole("button", { name: "Reactivate account" }).click();
    await confirmed("Reactivate account");
    await expect(card.getByText("Active")).toBeVisible();
    await submitLogIn(customer, email);
    await customer.waitForURL("/dashboard");
  });
  await admin.context().close();
});
