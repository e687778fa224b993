import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, otherPage, signIn, test } from "#tests/e2e/fixtures.ts";

test("shows two admins each other's changes of a service, and lets the second one save on top", {
  tag: "@nightly",
}, async ({ page, copy, browser }) => {
  await signIn(page, copy, "admin", "/admin/services/3");
  const other = await otherPage(browser, copy, "admin", "/admin/services/3");
  const rate = await page.getByLabel("Rate in USD").inputValue();
  await page.getByLabel("Description").fill("What I typed");
  await other.getByLabel("Rate in USD").fill("9");
  await other.getByLabel("Drip-feed").uncheck();
  await other.getByRole("button", { name: "Save service" }).click();
  await expect(other.getByText("Saved. The catalog and the API")).toBeVisible();

  allowConsole(page, /status of 409/);
  await page.getByLabel("Rate in USD").fill("3");
  await page.getByRole("button", { name: "Save service" }).click();
  await expect(page.getByRole("alert")).toBeFocused();
  await expect(page.getByRole("alert")).toContainText("Nothing of yours is saved yet");
  const meanwhile = page.getByRole("region", { name: "Saved meanwhile" });
  await expect(meanwhile).toContainText(/Rate.*Saved now.*9\.00.*Yours.*3\.00/);
  await expect(meanwhile).toContainText(/Drip-feed.*Saved now.*Off.*Before.*On/);
  await expect(page.getByLabel("Rate in USD")).toHaveValue("3.00");
  await expect(page.getByLabel("Description")).toHaveValue("What I typed");
  await expect(page.getByLabel("Drip-feed")).not.toBeChecked();
  await auditThemes(page, "a conflict of two edits");
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

  await page.getByRole("button", { name: "Save my changes on top" }).click();
  await expect(page.getByText("Saved. The catalog and the API")).toBeVisible();
  await expect(meanwhile).toHaveCount(0);
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("rate: $9.00 → $3.00");
  // The form begins from what it saved.
  await page.getByLabel("Rate in USD").fill("4");
  await page.getByRole("button", { name: "Save service" }).click();
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("from $3.00 to $4.00");

  // The other admin discards what they typed.
  allowConsole(other, /status of 409/);
  await other.getByLabel("Rate in USD").fill("8");
  await other.getByRole("button", { name: "Save service" }).click();
  await other.getByRole("link", { name: "Discard my changes" }).click();
  await expect(other.getByLabel("Rate in USD")).toHaveValue("4.00");
  await expect(other.getByRole("region", { name: "Saved meanwhile" })).toHaveCount(0);
  // Other tests order this service.
  await other.getByLabel("Rate in USD").fill(rate);
  await other.getByLabel("Drip-feed").check();
  await other.getByRole("button", { name: "Save service" }).click();
  await expect(other.getByText("Saved. The catalog and the API")).toBeVisible();
  await other.context().close();
});

test("shows a price rule and an announcement as another admin saved them, and saves on top of that", {
  tag: "@nightly",
}, async ({ page, copy, browser }) => {
  allowConsole(page, /status of 409/);
  await signIn(page, copy, "admin", "/admin/providers");
  await page.locator("[data-row-link]").first().click();
  await page.waitForURL(/providers\/\d+$/);
  const general = (at: typeof page) => at.getByRole("listitem").filter({ hasText: "General rule" });
  const add = page.getByRole("button", { name: "Add rule" });
  await expect(general(page).or(add).first()).toBeVisible();
  if ((await general(page).count()) === 0) await add.click();
  await general(page).locator("summary").first().click();
  const other = await otherPage(browser, copy, "admin", new URL(page.url()).pathname);
  await general(other).locator("summary").first().click();
  await general(other).getByLabel("Margin in percent").fill("41");
  await general(other).getByRole("button", { name: "Save rule" }).click();
  await expect(general(other)).toContainText("41% margin");
  await general(page).getByLabel("Margin in percent").fill("42");
  await general(page).getByRole("button", { name: "Save rule" }).click();
  await expect(general(page)).toContainText("41% margin");
  await expect(general(page).getByRole("region", { name: "Saved meanwhile" })).toContainText("41");
  await general(page).getByLabel("Margin in percent").fill("42");
  await general(page).getByRole("button", { name: "Save rule" }).click();
  await expect(general(page)).toContainText("42% margin");

  await page.goto("/admin/announcements");
  await page.getByLabel("Shown as").selectOption("update");
  await page.getByLabel("Text", { exact: true }).fill("A new service");
  await page.getByRole("button", { name: "Schedule announcement" }).click();
  const row = (at: typeof page, text: string) => at.getByRole("row").filter({ hasText: text });
  await row(page, "A new service").getByRole("link", { name: "A new service" }).click();
  await expect(page.getByRole("heading", { name: "Edit “A new service”" })).toBeVisible();
  await other.goto("/admin/announcements");
  await row(other, "A new service").getByRole("link", { name: "A new service" }).click();
  await expect(other.getByRole("heading", { name: "Edit “A new service”" })).toBeVisible();
  await other.getByLabel("Text", { exact: true }).fill("A better service");
  await other.getByRole("button", { name: "Save announcement" }).click();
  await expect(row(other, "A better service")).toBeVisible();
  await page.getByLabel("Text", { exact: true }).fill("A cheap service");
  await page.getByRole("button", { name: "Save announcement" }).click();
  await expect(page.getByRole("region", { name: "Saved meanwhile" })).toContainText("A better service");
  await expect(row(page, "A better service")).toBeVisible();
  await page.getByRole("button", { name: "Save announcement" }).click();
  await expect(row(page, "A cheap service")).toBeVisible();
  await other.context().close();
});
