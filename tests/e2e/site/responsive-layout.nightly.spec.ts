import type { Locator } from "@playwright/test";
import { expect, signIn, signUp, test } from "#tests/e2e/fixtures.ts";

const PHONE = { width: 390, height: 844 };

test("scrolls the current tab and the chosen filter into view on a phone", async ({ page, copy }) => {
  await page.setViewportSize(PHONE);
  await signIn(page, copy, "admin");
  for (const [path, nav, tab] of [
    ["/dashboard/account", "Dashboard", "Account"],
    ["/gmail-sync", "Dashboard", "Gmail"],
    ["/admin/audit", "Console", "Audit log"],
  ] as const) {
    await page.goto(path);
    const current = page.getByRole("navigation", { name: nav }).getByRole("link", { name: tab });
    await expect(current).toHaveAttribute("aria-current", "page");
    await expect(current).toBeInViewport({ ratio: 0.95 });
  }
  await page.goto("/dashboard/orders?status=Canceled");
  const chosen = page.getByRole("navigation", { name: "Orders by status" }).getByRole("link", { name: "Canceled" });
  await expect(chosen).toHaveAttribute("aria-current", "page");
  await expect(chosen).toBeInViewport({ ratio: 0.95 });
});

test("fits customer pages into 320 px, and lists orders as cards on a phone", async ({ page, copy }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await signIn(page, copy, "customer", "/dashboard?service=3");
  await page.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/a-rather-long-link-on-a-phone");
  await page.getByRole("button", { name: /^Place order/ }).click();
  await expect(page.getByText(/Order \d+ placed/)).toBeVisible();
  const order = (await page.getByRole("link", { name: "View order" }).getAttribute("href")) ?? "";
  await page.goto("/services");
  const service = (await page.locator('main a[href^="/services/"]').first().getAttribute("href")) ?? "";
  for (const path of [
    "/",
    "/services",
    service,
    "/dashboard",
    "/dashboard/orders",
    order,
    "/dashboard/orders/mass",
    "/dashboard/top-up",
    "/dashboard/transactions",
    "/dashboard/api",
    "/dashboard/account",
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), path).toBe(0);
  }
  await page.goto("/dashboard/orders");
  const list = page.getByRole("group", { name: "Orders" });
  expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  const row = list.getByRole("row").nth(1);
  await expect(row.getByText("Instagram likes", { exact: true })).toBeInViewport({ ratio: 1 });
  await expect(row.getByRole("link", { name: /^Repeat order/ })).toBeInViewport({ ratio: 1 });
});

test("fits the System page into a phone", async ({ page, copy }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, copy, "admin", "/admin/system");
  await expect(page.getByRole("group", { name: "Providers" })).toContainText("Sandbox");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  for (const list of await page.getByRole("main").getByRole("group").all()) {
    expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
});

test("ends the dashboard with its footer on a phone", async ({ page, copy }) => {
  await page.setViewportSize(PHONE);
  await signIn(page, copy, "customer", "/dashboard");
  const blank = await page.evaluate(() => {
    const footer = document.querySelector("footer")?.getBoundingClientRect().bottom ?? 0;
    return document.documentElement.scrollHeight - Math.max(footer + window.scrollY, window.innerHeight);
  });
  expect(blank).toBeLessThan(2);
});

test("marks a tab as current on the pages below it", async ({ page, copy }) => {
  await signIn(page, copy, "admin", "/admin/orders/requests");
  const current = page.getByRole("navigation", { name: "Console" }).locator("[aria-current]:visible");
  await expect(current).toHaveText([/^Orders/, /^Refills and cancellations/]);
  await expect(current.last()).toHaveAttribute("aria-current", "page");
  await page.goto("/admin/services/1");
  await expect(current).toHaveText([/^Catalog/, "Services"]);
  await page.goto("/dashboard/orders/mass");
  await expect(page.getByRole("navigation", { name: "Dashboard" }).locator("[aria-current]")).toHaveText("Mass order");
  await expect(page.getByRole("banner").locator("[aria-current]")).toHaveText("Dashboard");
});

test("keeps the chat button off footer links and off the introduction", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/reset-password");
  const button = page.getByRole("button", { name: "Open support chat" });
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  for (const link of await page.getByRole("contentinfo").getByRole("link").all()) {
    expect(await overlaps(button, link), String(await link.textContent())).toBe(false);
  }
  await page.goto("/onboarding");
  await expect(page.getByRole("button", { name: "Next" })).toBeVisible();
  await expect(button).toHaveCount(0);
});

test("keeps a name of 80 letters on one line of the header", async ({ page }) => {
  await signUp(page);
  const banner = page.getByRole("banner");
  const before = await banner.boundingBox();
  await page.goto("/dashboard/account");
  await page.getByLabel("Name", { exact: true }).fill("Maximiliane ".repeat(7).trim());
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Name saved.")).toBeVisible();
  const name = banner.getByText("Maximiliane Maximiliane");
  expect((await name.boundingBox())?.height).toBeLessThan(30);
  expect((await banner.boundingBox())?.height).toBe(before?.height);
});

async function overlaps(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (!a || !b) throw new Error("not visible");
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
