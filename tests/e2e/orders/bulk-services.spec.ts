import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";

/** A network that no other test orders from. */
const NETWORK = "Facebook";

test("filters services, raises all that match by 10 %, sees old and new margins, and takes it back in one step", async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "admin", "/admin/services");
  await page.getByLabel("Network", { exact: true }).selectOption(NETWORK);
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/network=Facebook/);
  const rates = page.getByRole("button", { name: /^Edit Rate of service/ });
  const before = ["$2.80", "$0.95", "$0.15", "$4.60"];
  await expect(rates).toHaveText(before);
  await page.getByLabel("Select all rows on this page").check();
  await page.getByRole("link", { name: `Change all ${before.length} that match…` }).click();
  await page.getByLabel("Change in percent").fill("ten");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText(/Enter a percentage from -99% to 1,000%/)).toBeVisible();
  await page.getByLabel("Change in percent").fill("10");
  await page.getByRole("button", { name: "Preview" }).click();
  const plan = page.getByRole("group", { name: "Changes", exact: true });
  await expect(plan.getByRole("row")).toHaveCount(before.length + 1);
  await expect(plan.getByRole("row").nth(1)).toContainText("35.0% → 40.9%");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("j");
  await expect(plan.getByRole("link").first()).toBeFocused();
  await page.getByRole("button", { name: `Change ${before.length} services` }).click();
  await expect(page.getByRole("heading", { name: "Price +10%" })).toBeVisible();
  const list = page
    .url()
    .replace(/changes\/\d+$/, `?network=${NETWORK}`)
    .replace("services/?", "services?");
  const changed = page.url();
  await page.goto(list);
  await expect(rates).toHaveText(["$3.08", "$1.045", "$0.165", "$5.06"]);
  await page.goto(changed);
  await page.getByRole("button", { name: `Undo the change of ${before.length} services` }).click();
  await expect(page.getByRole("heading", { name: /^Undid change/ })).toBeVisible();
  await page.goto(list);
  await expect(rates).toHaveText(before);
});

test("changes cells by the keyboard: Enter edits and saves, Esc leaves, Tab goes on, and an error stays in place", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  await signIn(page, copy, "admin", "/admin/services?network=LinkedIn");
  const cell = page.getByRole("button", { name: /^Edit Category of service/ }).first();
  await cell.focus();
  await page.keyboard.press("Enter");
  const category = page.getByRole("textbox", { name: /^Category of service/ });
  await category.fill("Left alone");
  await page.keyboard.press("Escape");
  await expect(cell).toBeFocused();
  await expect(cell).not.toContainText("Left alone");
  await page.keyboard.press("Enter");
  await category.fill("Pins");
  await page.keyboard.press("Tab");
  const rate = page.getByRole("textbox", { name: /^Rate of service/ });
  await expect(rate).toBeFocused();
  await rate.fill("nothing");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Enter an amount like 12.50");
  await expect(cell).toContainText("Pins");
  await rate.fill("7.77");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("This would sell below cost");
  await page.getByLabel("Sell it below cost").check();
  await rate.press("Enter");
  await expect(page.getByRole("button", { name: /^Edit Rate of service \d+: 7\.77/ })).toBeFocused();
  await page.reload();
  await expect(cell).toContainText("Pins");
  await expect(page.getByRole("button", { name: /^Edit Rate of service \d+: 7\.77/ })).toBeVisible();
});
