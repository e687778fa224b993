import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { allowConsole, expect, signIn, test } from "#tests/e2e/fixtures.ts";

/** A network that no other test orders from. */
const NETWORK = "Facebook";

test("raises all services of a filter by 10 % with both margins, takes it back in one step, and edits cells by keyboard", async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "admin", "/admin/services");
  const filter = async (network: string) => {
    await page.getByLabel("Network", { exact: true }).selectOption(network);
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(new RegExp(`network=${network}`));
  };
  await filter(NETWORK);
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
  const changed = new URL(page.url()).pathname;
  const list = async (network: string) => {
    await openFromMenu(page, "Catalog", "Services");
    await page.waitForURL("/admin/services");
    await filter(network);
  };
  await list(NETWORK);
  await expect(rates).toHaveText(["$3.08", "$1.045", "$0.165", "$5.06"]);
  await page.goto(changed);
  await page.getByRole("button", { name: `Undo the change of ${before.length} services` }).click();
  await expect(page.getByRole("heading", { name: /^Undid change/ })).toBeVisible();
  await list(NETWORK);
  await expect(rates).toHaveText(before);

  await test.step("changes cells by the keyboard: Enter edits and saves, Esc leaves, Tab goes on, an error stays", async () => {
    allowConsole(page, /status of 400/);
    await filter("LinkedIn");
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
    await expect(page.getByRole("alert")).toContainText("It would sell below cost");
    await page.getByLabel("Sell it below cost").check();
    await rate.press("Enter");
    await expect(page.getByRole("button", { name: /^Edit Rate of service \d+: 7\.77/ })).toBeFocused();
    await list("LinkedIn");
    await expect(cell).toContainText("Pins");
    await expect(page.getByRole("button", { name: /^Edit Rate of service \d+: 7\.77/ })).toBeVisible();
  });
});
