import { allowConsole, expect, signIn, signUp, test } from "./fixtures.ts";

test("a code made by staff tops up an empty account, which then orders with it", async ({ page, copy, browser }) => {
  await signIn(page, copy, "admin");
  await page.goto("/admin/codes");
  await page.getByLabel("Name", { exact: true }).fill("Welcome");
  await page.getByLabel("Amount in USD").fill("5");
  await page.getByRole("button", { name: "Make codes" }).click();
  const code = await page.getByLabel("New codes").inputValue();
  expect(code).toMatch(/^GL-/);
  await page.reload();
  await expect(page.getByLabel("New codes")).toHaveCount(0);
  expect(await page.content()).not.toContain(code);

  const customer = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await signUp(customer);
  await customer.goto("/dashboard/top-up");
  allowConsole(customer, /status of 4(00|09)/);
  await customer.getByRole("textbox", { name: "Code" }).fill("GL-1111-2222-3333-4444");
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByRole("textbox", { name: "Code" })).toHaveAccessibleDescription(/not known/);
  await customer.getByRole("textbox", { name: "Code" }).fill(code.toLowerCase().replaceAll("-", " "));
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByText("$5.00 is on your balance, which is $5.00 now.")).toBeVisible();
  await customer.getByRole("textbox", { name: "Code" }).fill(code);
  await customer.getByRole("button", { name: "Redeem" }).click();
  await expect(customer.getByRole("textbox", { name: "Code" })).toHaveAccessibleDescription(
    /You have used this code already/,
  );

  await customer.goto("/dashboard?service=3");
  await customer.getByLabel("Link").fill("https://instagram.com/p/first");
  await customer.getByLabel("Quantity").fill("1000");
  await customer.getByRole("button", { name: /Place order/ }).click();
  await expect(customer.getByRole("row", { name: /p\/first/ })).toContainText("Completed");
  await customer.context().close();

  await page.goto("/admin/codes");
  await expect(page.getByRole("row", { name: /Welcome/ })).toContainText("1 / 1");
});

test("a card payment goes by the payment page and is on the balance when its event has come", async ({ page }) => {
  await signUp(page);
  await page.goto("/dashboard/top-up");
  await page.getByRole("button", { name: "$50", exact: true }).click();
  await page.getByRole("button", { name: "Pay $50.00 by card" }).click();
  await page.getByRole("button", { name: "Pay $50.00" }).click();
  await page.waitForURL(/top-up\?checkout=/);
  await expect(page.getByText("$50.00 is on your balance. Thank you.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Balance $50.00")).toBeVisible();
});

test("a payment that is canceled charges nothing, and a wrong amount is said beside its field", async ({ page }) => {
  allowConsole(page, /status of 400/);
  await signUp(page);
  await page.goto("/dashboard/top-up");
  await page.getByLabel("Amount in USD").fill("1");
  await page.getByRole("button", { name: "Pay $1.00 by card" }).click();
  await expect(page.getByLabel("Amount in USD")).toHaveAccessibleDescription(/from \$5\.00/);
  await page.getByLabel("Amount in USD").fill("20");
  await page.getByRole("button", { name: "Pay $20.00 by card" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL(/top-up\?canceled=/);
  await expect(page.getByText("The payment was canceled. Nothing was charged.")).toBeVisible();
});

test("without scripts a code is redeemed and the payment page is reached by a link", async ({ browser, copy }) => {
  const page = await (await browser.newContext({ baseURL: copy.url, javaScriptEnabled: false })).newPage();
  await signUp(page);
  await page.goto("/dashboard/top-up");
  await page.getByLabel("Amount in USD").fill("25");
  await page.getByRole("button", { name: /by card/ }).click();
  await page.getByRole("link", { name: "Go there now" }).click();
  await expect(page.getByRole("button", { name: "Pay $25.00" })).toBeVisible();
  await page.context().close();
});
