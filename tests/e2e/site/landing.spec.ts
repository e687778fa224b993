import sharp from "sharp";
import { countLoads, expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";

test("shows a visitor the charge from the live catalog and keeps the choice through sign-up, describes the site to search engines, and loads nothing of the app or of a session", async ({
  page,
  copy,
}) => {
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.url()));
  const loads = countLoads(page);
  await page.clock.install();
  await page.goto("/");
  await untilHydrated(page);

  await test.step("search engines and link previews", async () => {
    const content = (selector: string) => page.locator(selector).getAttribute("content");
    expect(await page.locator("link[rel=canonical]").getAttribute("href")).toBe(`${copy.url}/`);
    expect(await content("meta[name=description]")).toMatch(/exact charge/);
    expect(await content("meta[property='og:title']")).toBe(await page.title());
    const image = await page.request.get((await content("meta[property='og:image']")) ?? "");
    const { format, width, height } = await sharp(await image.body()).metadata();
    expect({ format, width, height }).toEqual({ format: "png", width: 1200, height: 630 });
    const touch = await page.locator("link[rel=apple-touch-icon]").getAttribute("href");
    expect((await sharp(await (await page.request.get(touch ?? "")).body()).metadata()).width).toBe(180);

    const data = JSON.parse((await page.locator("script[type='application/ld+json']").textContent()) ?? "");
    const faq = data["@graph"].find((entry: { "@type": string }) => entry["@type"] === "FAQPage");
    const questions = faq.mainEntity.map(({ name }: { name: string }) => name);
    // Each plus sign is drawn, and not part of the question.
    const shown = (await page.locator("summary").allInnerTexts()).map((text) => text.replace(/\s*\+\s*$/, ""));
    expect(questions).toEqual(shown);
  });
  await test.step("no introduction, no shell and no session library in a browser", async () => {
    // Longer than startup and gate look for a bridge, by the page's own clock.
    await page.clock.runFor(7000);
    expect(new URL(page.url()).pathname).toBe("/");
    expect(loads()).toBe(1);
    expect(scripts.filter((url) => /shell|capacitor|native-bridge|browser-session|shared-refresh/i.test(url))).toEqual(
      [],
    );
  });
  await test.step("a clipboard that is refused", async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () =>
        Promise.reject(new DOMException("Write permission denied", "NotAllowedError"));
    });
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expect(page.getByText("Select the text and copy it manually.")).toBeVisible();
    await expect(page.getByText("Copied")).toBeHidden();
  });
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

test("learns the routes of the price list's links, opens them without loading a page, and takes the link and the quantity from a service's page along through sign-up", async ({
  page,
}) => {
  const asked = page.waitForResponse((response) => new URL(response.url()).pathname === "/__manifest");
  await page.goto("/services?q=tiktok+likes");
  const answer = await asked;
  expect(answer.status()).toBe(200);
  expect(new URL(answer.url()).searchParams.getAll("p").length).toBeGreaterThan(3);
  const loads = countLoads(page);
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
  expect(loads()).toBe(0);
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
