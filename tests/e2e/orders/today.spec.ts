import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, logIn, sessionOf, test } from "#tests/e2e/fixtures.ts";

test("begins an admin's day on Today, and an agent's with the conversations", async ({ page, copy, browser }) => {
  const { admin, agent } = copy.demo;
  await logIn(page, admin.email, admin.password);
  await page.waitForURL("/admin/today");
  for (const title of ["Sales", "Waits for you", "Open orders", "Services slower than usual", "Providers"]) {
    await expect(page.getByRole("region", { name: title })).toBeVisible();
  }
  await auditPage(page, "Today");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "Today");
  await page.getByRole("link", { name: "Payments to review" }).click();
  await expect(page.getByRole("heading", { name: "Payments", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Console", exact: true }).click();
  await page.waitForURL("/admin/today");

  const other = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await logIn(other, agent.email, agent.password);
  await other.waitForURL("/admin");
  await other.context().close();
});

test("shows Today without scripts", { tag: "@nightly" }, async ({ browser, copy }) => {
  const storageState = await sessionOf(browser, copy, "admin");
  const context = await browser.newContext({ baseURL: copy.url, storageState, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/admin/today");
  await expect(page.getByRole("row", { name: /^Yesterday/ })).toContainText("$");
  await page.getByRole("link", { name: "Held orders" }).click();
  await expect(page.getByRole("heading", { name: "Orders", exact: true })).toBeVisible();
  await context.close();
});
