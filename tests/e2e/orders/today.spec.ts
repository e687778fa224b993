import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { expect, sessionOf, signIn, test } from "#tests/e2e/fixtures.ts";

test("begins an admin's day on Today, and shows every page of the console in a menu, by keys and on a phone", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/today");
  for (const title of ["Sales", "Needs your attention", "Open orders", "Services slower than usual", "Providers"]) {
    await expect(page.getByRole("region", { name: title })).toBeVisible();
  }
  await page.getByRole("link", { name: "Payments to review" }).click();
  await expect(page.getByRole("heading", { name: "Payments", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Console", exact: true }).click();
  await page.waitForURL("/admin/today");
  await auditPage(page, "Today");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "Today");
  await page.setViewportSize({ width: 1280, height: 720 });

  await test.step("shows every page in a menu", async () => {
    const nav = page.getByRole("navigation", { name: "Console" });
    const groups = nav.getByRole("list").first().getByRole("link");
    for (const group of await groups.all()) await expect(group).toBeInViewport({ ratio: 1 });
    const button = nav.getByRole("button", { name: "All pages" });
    const link = nav.getByRole("region", { name: "Catalog" }).getByRole("link", { name: "Providers" });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(link).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(link).toBeHidden();
    await expect(button).toBeFocused();

    await page.setViewportSize({ width: 390, height: 844 });
    await button.click();
    await link.click();
    await page.waitForURL("/admin/providers");
    await expect(link).toBeHidden();
    await expect(nav.locator("[aria-current]:visible")).toHaveText([/^Providers/]);
  });
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
