import { readFile } from "node:fs/promises";
import { auditPage, expectNoOverflow } from "#tests/e2e/axe-audit.ts";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { expect, signIn, test } from "#tests/e2e/fixtures.ts";

test("moves through a list by keys, sorts, searches, exports, keeps the height of its rows and shows that it loads", {
  tag: "@nightly",
}, async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/customers?sort=email");
  // It needs scripts.
  await expect(page.getByRole("button", { name: "Dense rows" })).toBeEnabled();
  const links = page.locator("[data-row-link]");
  await expect(page.getByRole("columnheader", { name: "Email" })).toHaveAttribute("aria-sort", "ascending");
  await page.keyboard.press("j");
  await expect(links.nth(0)).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(links.nth(1)).toBeFocused();
  // People without a mouse see the exact time of the row that has the focus.
  const exact = () =>
    page
      .locator("tr:has(:focus) time")
      .evaluate((time) => getComputedStyle(time, "::after").content.replaceAll('"', "") === time.getAttribute("title"));
  expect(await exact()).toBe(true);
  await page.keyboard.press("k");
  await expect(links.nth(0)).toBeFocused();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText("Next row");
  await page.keyboard.press("Escape");

  const dense = page.getByRole("button", { name: "Dense rows" });
  const height = () =>
    page
      .getByRole("row")
      .nth(1)
      .evaluate((row) => Math.round(row.getBoundingClientRect().height));
  const regular = await height();
  await dense.click();
  await expect.poll(height).toBeLessThan(regular);
  await page.reload();
  await expect(dense).toHaveAttribute("aria-pressed", "true");
  expect(await height()).toBeLessThan(regular);
  await auditPage(page, "the list of customers");

  await page.keyboard.press("/");
  await expect(page.getByLabel("Search")).toBeFocused();
  await page.keyboard.type("owline.exa");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=owline\.exa/);
  const found = page.getByRole("row").filter({ hasText: "customer@growline.example" });
  await expect(found).toBeVisible();
  const exportLink = page.getByRole("link", { name: "Export CSV" });
  await expect(exportLink).toHaveAttribute("data-asks-identity");
  // With it, the browser would save the page that asks for a proof.
  await expect(exportLink).not.toHaveAttribute("download");
  const [download] = await Promise.all([page.waitForEvent("download"), exportLink.click()]);
  const csv = await readFile(await download.path(), "utf8");
  expect(csv.split("\r\n").filter((line) => line.includes("@"))).toHaveLength(
    (await page.getByRole("row").count()) - 1,
  );

  await found.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/admin\/customers\/.+/);
  await page.goBack();
  await expect(page.getByLabel("Search")).toHaveValue("owline.exa");

  await test.step("shows placeholders and aria-busy while a list loads other rows", async () => {
    await openFromMenu(page, "Catalog", "Services");
    const table = page.getByRole("group", { name: "Services" });
    const cell = table.getByRole("cell").first();
    await expect(table).not.toHaveAttribute("aria-busy");
    let letThrough = () => {};
    const held = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route(/admin\/services.*q=likes/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel("Search").fill("likes");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(table).toHaveAttribute("aria-busy", "true");
    await expect(cell).toHaveCSS("color", "rgba(0, 0, 0, 0)");
    letThrough();
    await expect(table).not.toHaveAttribute("aria-busy");
    await expect(cell).not.toHaveCSS("color", "rgba(0, 0, 0, 0)");
  });
});

test("keeps the header of a list in sight, and shows its rows as cards on a phone", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  await signIn(page, copy, "admin", "/admin/audit");
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.goto("/admin/services");
  await page.getByRole("row").last().scrollIntoViewIfNeeded();
  const top = () =>
    page
      .getByRole("columnheader")
      .first()
      .evaluate((cell) => cell.getBoundingClientRect().top);
  // Scrolled far below where the header was, which is at the top of the window.
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(300);
  await expect.poll(top).toBeGreaterThanOrEqual(0);
  expect(await top()).toBeLessThan(60);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/customers");
  await expectNoOverflow(page, "the list of customers on a phone");
  const [first, second] = [0, 1].map((at) => page.locator("[data-row]").first().locator("td").nth(at));
  const y = (cell: typeof first) => cell?.evaluate((one) => one.getBoundingClientRect().top);
  expect(await y(second)).toBeGreaterThan((await y(first)) ?? Number.NaN);
  await page.getByRole("navigation", { name: "Sort by" }).getByRole("link", { name: "Email" }).click();
  await page.waitForURL(/sort=email/);
});

test("selects all rows on a phone, and keeps what can be done with them in sight", { tag: "@nightly" }, async ({
  page,
  copy,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, copy, "admin", "/admin/services");
  await page.getByRole("checkbox", { name: "Select all", exact: true }).check();
  const rows = await page.locator("[data-row]").count();
  const change = page.getByRole("link", { name: `Change ${rows}…` });
  await expect(change).toBeInViewport({ ratio: 1 });
  await auditPage(page, "a selection");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("checkbox", { name: "Select all", exact: true }).uncheck();
  await expect(change).toHaveCount(0);
});

test("shows lists in line with the navigation, and within the window", { tag: "@nightly" }, async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/services");
  for (const path of ["/admin/services", "/admin/customers"]) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(path);
    const left = (element: ReturnType<typeof page.locator>) =>
      element.evaluate((one) => one.getBoundingClientRect().left);
    const title = await left(page.getByRole("heading", { level: 1 }));
    expect(await left(page.getByRole("banner").getByRole("link", { name: "Growline" })), path).toBeCloseTo(
      title - 4,
      0,
    );
    const table = page.getByRole("table").first();
    const spill = await table.evaluate((one) => one.scrollWidth - (one.closest("section")?.clientWidth ?? 0));
    expect(spill, path).toBeLessThanOrEqual(0);
  }
});
