import { type Page, request } from "@playwright/test";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { allowConsole, expect, otherPage, sessionOf, signIn, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { signUpConfirmed } from "#tests/e2e/received-emails.ts";
import { fillOrder } from "./order-form-steps.ts";

test("shows a staff-made code once, redeems it once and orders with its amount", { tag: "@nightly" }, async ({
  page,
  copy,
  browser,
}) => {
  await signIn(page, copy, "admin", "/admin/codes");
  await page.getByLabel("Name", { exact: true }).fill("Welcome");
  await page.getByLabel("Amount in USD").fill("5");
  await page.getByRole("button", { name: "Create codes" }).click();
  const code = await page.getByLabel("New codes").inputValue();
  expect(code).toMatch(/^GL-/);

  const customer = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await signUpByRequest(customer);
  await customer.goto("/dashboard/top-up");
  allowConsole(customer, /status of 4(00|09)/);
  await customer.getByRole("textbox", { name: "Code" }).fill("GL-1111-2222-3333-4444");
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByRole("textbox", { name: "Code" })).toHaveAccessibleDescription(
    /don't recognize this code/,
  );
  await customer.getByRole("textbox", { name: "Code" }).fill(code.toLowerCase().replaceAll("-", " "));
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByText("$5.00 added. New balance: $5.00.")).toBeVisible();
  await customer.getByRole("textbox", { name: "Code" }).fill(code);
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByRole("textbox", { name: "Code" })).toHaveAccessibleDescription(
    /You already redeemed this code/,
  );

  await customer.getByRole("link", { name: "Overview", exact: true }).click();
  await fillOrder(customer, { service: "Instagram likes", link: "https://instagram.com/p/first", quantity: "1000" });
  await customer.getByRole("button", { name: /Place order/ }).click();
  await expect(customer.getByRole("row", { name: /p\/first/ })).toContainText("Completed");
  await customer.context().close();

  await page.reload();
  await expect(page.getByRole("row", { name: /Welcome/ })).toContainText("1 / 1");
  await expect(page.getByLabel("New codes")).toHaveCount(0);
  expect(await page.content()).not.toContain(code);
});

test("credits a card payment once Stripe confirms it, and shows it as debt on every page if it is disputed when spent", async ({
  page,
  copy,
  browser,
}) => {
  allowConsole(page, /status of 400/);
  const email = await signUpConfirmed(page, copy);
  await page.goto("/dashboard/top-up");
  await test.step("shows a wrong amount beside its field, and charges nothing for a canceled payment", async () => {
    const amount = page.getByLabel("Amount in USD");
    await amount.fill("1");
    await page.getByRole("button", { name: "Pay $1.00 by card" }).click();
    await expect(amount).toHaveAccessibleDescription(/from \$5\.00/);
    await amount.fill("20");
    await page.getByRole("button", { name: "Pay $20.00 by card" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(/top-up\?canceled=/);
    await expect(page.getByText("Payment canceled. You weren't charged.")).toBeVisible();
    await expect(page.getByText("Balance $0.00")).toBeVisible();
  });

  await page.getByRole("button", { name: "$50", exact: true }).click();
  const payment = await pay(page, "Pay $50.00 by card", "Pay $50.00");
  await expect(page.getByText("$50.00 added to your balance. Thank you.")).toBeVisible();
  await expect(page.getByText("Balance $50.00")).toBeVisible();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await fillOrder(page, { service: "Instagram likes", link: "https://instagram.com/p/spent", quantity: "10000" });
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByRole("row", { name: /p\/spent/ })).toBeVisible();

  const stripe = await page.context().newPage();
  await stripe.goto(payment);
  await stripe.getByRole("button", { name: "Refund half" }).click();
  await stripe.waitForURL(payment);
  await page.getByRole("link", { name: "Transactions", exact: true }).click();
  await expect(page.getByRole("row", { name: /Card reversal/ })).toContainText("Card payment refunded to the card");
  await expect(page.getByRole("row", { name: /Card reversal/ })).toContainText("$25.00");
  await stripe.getByRole("button", { name: "Dispute" }).click();
  await stripe.waitForURL(payment);
  const debt = page.getByRole("alert").filter({ hasText: "You owe" });
  for (const path of ["/dashboard", "/upload", "/gmail-sync", "/account/delete"]) {
    expect(await (await page.request.get(path)).text(), path).toMatch(/You owe .* place orders/);
  }
  await page.goto("/dashboard/top-up");
  await expect(debt).toContainText("You can't place orders");
  await expect(page.getByRole("row", { name: /Reversed/ })).toContainText("$50.00");

  const staff = await otherPage(browser, copy, "admin", "/admin/payments?state=reversed");
  const row = staff.getByRole("row", { name: new RegExp(email) });
  await expect(row).toContainText("Reversed");
  await row.getByRole("link").click();
  await staff.waitForURL(/payments\/[\w-]+$/);
  await expect(staff.getByRole("group", { name: "Refunds and disputes" })).toContainText("needs response");
  await staff.getByRole("link", { name: email }).click();
  await staff.waitForURL(/admin\/customers\//);
  await expect(staff.getByText("Owes", { exact: true })).toBeVisible();
  await expect(staff.getByRole("group", { name: "Audit log" })).toContainText("for a reversed card payment");
  await staff.context().close();

  await stripe.getByRole("button", { name: "Win" }).click();
  await stripe.waitForURL(payment);
  await page.goto("/dashboard");
  await expect(debt).toHaveCount(0);
});

test("puts a payment in another currency into review, and credits it once", { tag: "@nightly" }, async ({
  page,
  copy,
  browser,
}) => {
  const email = await signUpConfirmed(page, copy);
  await page.goto("/dashboard/top-up");
  await pay(page, "Pay $25.00 by card", "Pay €25.00 instead");
  await expect(page.getByText(/Our team is reviewing it/)).toBeVisible();
  await expect(page.getByRole("row", { name: /In review/ })).toContainText("$25.00");

  const agent = await request.newContext({ baseURL: copy.url, storageState: await sessionOf(browser, copy, "agent") });
  expect((await agent.get("/admin/payments")).status()).toBe(404);
  await agent.dispose();

  const staff = await otherPage(browser, copy, "admin", "/admin/payments");
  const row = staff.getByRole("row", { name: new RegExp(email) });
  await expect(row).toContainText("EUR");
  await row.getByRole("link").click();
  await staff.waitForURL(/payments\/[\w-]+$/);
  const second = await staff.context().newPage();
  await second.goto(staff.url());
  await staff.getByLabel("Amount in USD").fill("27.10");
  await staff.getByLabel("Reason").first().fill("The day's rate");
  await staff.getByRole("button", { name: "Credit payment" }).dblclick();
  await expect(staff.getByText("$27.10 credited.")).toBeVisible();
  await expect(staff.getByRole("button", { name: "Credit payment" })).toHaveCount(0);
  // Another admin still has the page open.
  allowConsole(second, /status of 409/);
  await second.getByLabel("Reason").last().fill("Too late");
  await second.getByRole("button", { name: "Refuse payment" }).click();
  await expect(second.getByRole("button", { name: "Refuse payment" })).toHaveCount(0);
  await expect(second.getByText("This payment was already decided")).toBeVisible();
  await openFromMenu(staff, "System", "Audit log");
  await expect(staff.getByRole("row", { name: /for a payment in review/ })).toHaveCount(1);
  await staff.context().close();

  await page.reload();
  await expect(page.getByText("Balance $27.10")).toBeVisible();

  await test.step("reaches the checkout page by a link without JavaScript", async () => {
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ baseURL: copy.url, storageState, javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto("/dashboard/top-up");
    await plain.getByLabel("Amount in USD").fill("25");
    await plain.getByRole("button", { name: /by card/ }).click();
    await plain.getByRole("link", { name: "Continue to checkout" }).click();
    await expect(plain.getByRole("button", { name: "Pay $25.00" })).toBeVisible();
    await context.close();
  });
});

/** Pays from the top-up page on the checkout page, and returns the URL of the latter. */
async function pay(page: Page, button: string, there: string): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const confirm = page.getByRole("button", { name: there, exact: true });
  await confirm.waitFor();
  const address = page.url();
  await confirm.click();
  await page.waitForURL(/top-up\?checkout=/);
  return address;
}
