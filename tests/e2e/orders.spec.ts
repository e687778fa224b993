import { allowConsole, expect, signIn, test } from "./fixtures.ts";

test("an order from the form shows its charge first, takes exactly that, and completes before the eyes", async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "customer");
  const before = await balance(copy);
  await page.getByLabel("Service").selectOption({ label: "Instagram likes" });
  await page.getByLabel("Link").fill("https://instagram.com/p/growline");
  await page.getByLabel("Quantity").fill("2000");
  await page.getByRole("button", { name: "Place order · $0.70" }).click();
  const row = page.getByRole("row", { name: /instagram\.com\/p\/growline/ });
  await expect(row).toBeVisible();
  await expect(row).toContainText("Completed");
  expect(before - (await balance(copy))).toBeCloseTo(0.7, 6);
});

test("what the server refuses is said beside its field, and nothing is taken", async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "customer");
  const before = await balance(copy);
  await page.getByLabel("Service").selectOption({ label: "Instagram likes" });
  await page.getByLabel("Link").fill("not a link");
  await page.getByLabel("Quantity").fill("2000");
  await page.getByRole("button", { name: /Place order/ }).click();
  await expect(page.getByLabel("Link")).toHaveAccessibleDescription(/address/i);
  await expect(page.getByLabel("Link")).toHaveValue("not a link");
  expect(await balance(copy)).toBe(before);
});

test("a double click on the button is one order", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await page.getByLabel("Service").selectOption({ label: "Instagram likes" });
  await page.getByLabel("Link").fill("https://instagram.com/p/double");
  await page.getByLabel("Quantity").fill("100");
  await page.getByRole("button", { name: /Place order/ }).dblclick();
  await expect(page.getByRole("row", { name: /p\/double/ })).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole("row", { name: /p\/double/ })).toHaveCount(1);
});

test("the landing page's charge is that of the live catalogue, and leads to the order form", async ({ page, copy }) => {
  await page.goto("/");
  await page.getByText("TikTok", { exact: true }).click();
  await page.getByLabel("Service").selectOption({ label: "TikTok likes" });
  await page.getByLabel("Quantity").fill("3000");
  await page.getByRole("button", { name: "Order · $1.86" }).click();
  await expect(page).toHaveURL(/\/auth\/signup/);
  await page.getByRole("link", { name: "Log in" }).last().click();
  // The page before has an e-mail field too.
  await page.waitForURL(/auth\/login/);
  await page.getByLabel("E-mail address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("button", { name: "Place order · $1.86" })).toBeVisible();
});

test("an API key is shown once, works, and stops when it is revoked", async ({ page, copy }) => {
  await signIn(page, copy, "customer");
  await page.getByLabel("Name of a new key").fill("Spreadsheet");
  await page.getByRole("button", { name: "Create key" }).click();
  const key =
    (await page
      .getByText(/^gl_live_[0-9a-f]{54}$/)
      .first()
      .textContent()) ?? "";
  const headers = { Authorization: `Bearer ${key}` };
  expect((await page.request.get("/api/balance", { headers })).status()).toBe(200);
  await page.reload();
  await expect(page.getByText(key)).toHaveCount(0);
  await page
    .getByRole("row", { name: /Spreadsheet/ })
    .getByRole("button", { name: /Revoke/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("row", { name: /Spreadsheet/ })).toHaveCount(0);
  expect((await page.request.get("/api/balance", { headers })).status()).toBe(401);
});

async function balance(copy: { url: string; demo: { customer: { apiKey: string } } }): Promise<number> {
  const response = await fetch(`${copy.url}/api/balance`, {
    headers: { Authorization: `Bearer ${copy.demo.customer.apiKey}` },
  });
  return Number(((await response.json()) as { balance: string }).balance);
}
