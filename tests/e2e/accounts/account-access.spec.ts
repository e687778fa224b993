import { allowConsole, expect, logIn, otherPage, signUpByRequest, test } from "#tests/e2e/fixtures.ts";

test("suspends an account with a reason, which then cannot log in, and reactivates it", async ({ browser, copy }) => {
  const context = await browser.newContext({ baseURL: copy.url });
  const customer = await context.newPage();
  // The page may be requesting tokens when its session ends, and the log-in is refused.
  allowConsole(customer, /40[03]/);
  const email = await signUpByRequest(customer);
  const admin = await otherPage(browser, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
  await admin.getByRole("link", { name: email }).click();
  const card = admin.getByRole("region", { name: "Access" });
  await card.getByLabel("Reason").fill("Charged back twice");
  await card.getByRole("button", { name: "Suspend account" }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Suspend account" }).click();
  await expect(card.getByText("Suspended")).toBeVisible();

  await customer.goto("/dashboard");
  await customer.waitForURL(/\/auth\/login/);
  await logIn(customer, email);
  await expect(customer.getByText("This account is suspended. Contact support.")).toBeVisible();

  await card.getByLabel("Reason").fill("A mistake");
  await card.getByRole("button", { name: "Reactivate account" }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Reactivate account" }).click();
  await expect(card.getByText("Active")).toBeVisible();
  await logIn(customer, email);
  await customer.waitForURL("/dashboard");
  await context.close();
  await admin.context().close();
});
