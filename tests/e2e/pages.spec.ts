import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { allowConsole, expect, signIn, test } from "./fixtures.ts";

const VISITOR_PAGES = [
  "/",
  "/auth",
  "/auth/start",
  "/auth/login",
  "/auth/signup",
  "/reset-password",
  "/reset-password?token=used",
  "/account/email?token=any",
  "/privacy-policy",
  "/debug/env",
  "/debug/mail",
  "/debug/reset-onboarding",
  "/nowhere",
];
const STAFF_PAGES = [
  "/dashboard",
  "/dashboard/orders",
  "/dashboard/orders/mass",
  "/dashboard/transactions",
  "/dashboard/api",
  "/dashboard/account",
  "/upload",
  "/account/delete",
  "/admin",
];
const WIDTHS = [390, 1280];

for (const theme of ["dark", "light"] as const) {
  for (const path of [...VISITOR_PAGES, ...STAFF_PAGES]) {
    test(`axe finds nothing on ${path} in the ${theme} theme, on a phone and on a desk`, async ({ page, copy }) => {
      allowConsole(page, /404/);
      await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
      if (STAFF_PAGES.includes(path)) await signIn(page, copy, "agent");
      await check(page, path);
    });
  }
}

test("the theme is dark at first, is kept, and is there before the first paint", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Use the light theme" }).click();
  expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe("light");
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.name === "first-paint")
          sessionStorage.setItem("painted", document.documentElement.dataset.theme ?? "");
      }
    }).observe({ type: "paint", buffered: true });
  });
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("painted"))).toBe("light");
});

test("an unknown page is 404 in the site's own look", async ({ page }) => {
  allowConsole(page, /404/);
  const response = await page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "Growline" })).toBeVisible();
});

test("pages carry a policy that takes only our own scripts, and the other security headers", async ({ page }) => {
  const response = await page.request.get("/");
  const headers = response.headers();
  const policy = headers["content-security-policy"] ?? "";
  expect(policy).toMatch(/script-src 'nonce-[^']+' 'strict-dynamic'/);
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin-allow-popups");
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  const again = (await page.request.get("/")).headers()["content-security-policy"];
  expect(again).not.toBe(policy);
});

test("a form sent from another site is refused", async ({ page }) => {
  const response = await page.request.post("/logout", { headers: { Origin: "https://evil.example" } });
  expect(response.status()).toBe(403);
});

async function check(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForLoadState("networkidle");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
    expect(found, `${path} at ${width} px`).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `${path} at ${width} px is wider than the window`).toBeLessThanOrEqual(0);
  }
}
