import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, otherPage, signIn, test } from "#tests/e2e/fixtures.ts";

test("shows two admins each other's changes of a service, and lets the second one save on top", async ({
  page,
  copy,
  browser,
}) => {
  await signIn(page, copy, "admin", "/admin/services/3");
  const other = await otherPage(browser, copy, "admin", "/admin/services/3");
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
  await expect(page.getByRole("group", { name: "Audit log" })).toContainText("rate: $3.00 → $4.00");

  // The other admin discards what they typed.
  allowConsole(other, /status of 409/);
  await other.getByLabel("Rate in USD").fill("8");
  await other.getByRole("button", { name: "Save service" }).click();
  await other.getByRole("link", { name: "Discard my changes" }).click();
  await expect(other.getByLabel("Rate in USD")).toHaveValue("4.00");
  await expect(other.getByRole("region", { name: "Saved meanwhile" })).toHaveCount(0);
  await other.context().close();
});
