import type { Page } from "@playwright/test";
import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { allowConsole, expect, otherPage, signIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";

/** A service that no other test of this folder changes. */
const SERVICE = "/admin/services/7";

/** Saves the rate on the page of the service. */
async function saveRate(page: Page, rate: string): Promise<void> {
  await page.getByLabel("Rate in USD").fill(rate);
  await page.getByRole("button", { name: "Save service" }).click();
  await expect(page.getByText("Saved. The catalog and the API").last()).toBeVisible();
}

async function expectNarrow(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize(size);
}

test("finds a price change by person, subject and action, reads it as a sentence and undoes it", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  await signIn(page, copy, "admin", SERVICE);
  const rate = await page.getByLabel("Rate in USD").inputValue();
  const name = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
  await saveRate(page, "900");
  await openFromMenu(page, "System", "Audit log");
  await page.waitForURL("/admin/audit");
  await page.getByLabel("Staff member").selectOption("Demo Admin");
  await page.getByLabel("Action", { exact: true }).selectOption("Changed a service");
  await page.getByLabel("About").selectOption("Service");
  await page.getByLabel("Which").fill(name.slice(0, 40));
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL(/about=service/);
  const row = page.locator("[data-row]").first();
  const sentence = `Demo Admin raised the rate of ${name} from $${rate} to $900.00`;
  await expect(row).toContainText(sentence);
  await expectNarrow(page);
  await row.locator("[data-row-link]").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/admin\/audit\/\d+$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(sentence);
  await expect(page.getByRole("group", { name: "What undoing it does" })).toContainText(`$900.00$${rate}`);
  await auditThemes(page, "an entry of the audit log");
  await expectNarrow(page);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByText(/Entry \d+ undone\./)).toBeVisible();
  await expect(page.getByRole("region", { name: "Undone" })).toContainText("Demo Admin undid this");
  await page.goto(SERVICE);
  await expect(page.getByLabel("Rate in USD")).toHaveValue(rate);
  const activity = page.getByRole("group", { name: "Audit log" });
  await expect(activity).toContainText(/from \$900\.00 to .*, undoing entry \d+/);
  // The undo is an entry, too.
  await activity
    .getByRole("link", { name: /^entry \d+$/ })
    .first()
    .click();
  await page
    .getByRole("region", { name: "Undone" })
    .getByRole("link", { name: /^entry \d+$/ })
    .click();
  await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeVisible();
});

test("undoes nothing that changed while the entry was open, and shows what it is now", { tag: "@nightly" }, async ({
  page,
  copy,
  browser,
}) => {
  await signIn(page, copy, "admin", SERVICE);
  const rate = await page.getByLabel("Rate in USD").inputValue();
  await saveRate(page, "800");
  await page.getByRole("group", { name: "Audit log" }).locator("[data-row-link]").first().click();
  await page.waitForURL(/\/admin\/audit\/\d+$/);
  const other = await otherPage(browser, copy, "admin", SERVICE);
  await saveRate(other, "700");
  allowConsole(page, /status of 409/);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByRole("region", { name: "Nothing to undo" })).toContainText(
    "rate: changed since: it is $700.00 now",
  );
  await expect(page.getByText("nothing was undone")).toBeVisible();
  await other.reload();
  await untilHydrated(other);
  await expect(other.getByLabel("Rate in USD")).toHaveValue("700.00");
  // As other tests expect it.
  await saveRate(other, rate);
  await other.context().close();
});
