import { expect, test } from "#tests/e2e/fixtures.ts";

test("shows the charge from the live catalog and keeps the choice through sign-up", async ({ page }) => {
  await page.goto("/");
  const form = page.getByRole("form", { name: "Price calculator" });
  await form.getByLabel("Quantity").fill("1000");
  const charge = form.locator("dd[aria-live]");
  const rate = (await form.getByText("Rate per 1,000").locator("xpath=../dd").textContent()) ?? "";
  await expect(charge).toHaveText(rate);
  await form.getByLabel("Quantity").fill("2000");
  await expect(charge).not.toHaveText(rate);
  const service = await form.getByLabel("Service").inputValue();
  await form.getByRole("button", { name: /^Order · \$/ }).click();
  await page.waitForURL(/\/auth\/signup/);
  const next = new URL(page.url()).searchParams.get("redirectTo");
  expect(next).toBe(`/dashboard?service=${service}&quantity=2000`);
});

test("takes the link and the quantity from a service's page along through sign-up", async ({ page }) => {
  await page.goto("/services?q=tiktok+likes");
  await page.getByRole("link", { name: "TikTok likes" }).click();
  const form = page.getByRole("form", { name: "Order" });
  const link = "https://www.tiktok.com/@growline/video/7301234567890123458";
  await expect(form.getByLabel("Link")).toHaveAccessibleDescription(/^To a video, like https:\/\/www\.tiktok\.com/);
  await form.getByLabel("Link").fill(link);
  await form.getByLabel("Quantity").fill("3000");
  await form.getByRole("button", { name: "Order · $1.86" }).click();
  await page.waitForURL(/\/auth\/signup/);
  await expect(page.getByText("3,000 TikTok likes · $1.86")).toBeVisible();
  const next = new URL(page.url()).searchParams;
  expect([next.get("link"), next.get("quantity")]).toEqual([link, "3000"]);
});

test("prints in the light theme without header and footer", { tag: "@nightly" }, async ({ page }) => {
  await page.goto("/privacy-policy");
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("banner")).toBeHidden();
  await expect(page.getByRole("contentinfo")).toBeHidden();
  await expect(page.getByRole("button", { name: "Open support chat" })).toBeHidden();
  const [ground] = await page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (!canvas) throw new Error("no canvas");
    canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  });
  expect(ground).toBeGreaterThan(240);
});

test("explains how to copy if the clipboard is refused", async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () =>
      Promise.reject(new DOMException("Write permission denied", "NotAllowedError"));
  });
  await page.goto("/");
  await page.getByRole("button", { name: "Copy" }).first().click();
  await expect(page.getByText("Select the text and copy it manually.")).toBeVisible();
  await expect(page.getByText("Copied")).toBeHidden();
});
