import sharp from "sharp";
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

test("describes itself to search engines and in link previews", async ({ page, copy }) => {
  await page.goto("/");
  const content = (selector: string) => page.locator(selector).getAttribute("content");
  expect(await page.locator("link[rel=canonical]").getAttribute("href")).toBe(`${copy.url}/`);
  expect(await content("meta[name=description]")).toMatch(/exact charge/);
  expect(await content("meta[property='og:title']")).toBe(await page.title());
  const image = await page.request.get((await content("meta[property='og:image']")) ?? "");
  const { format, width, height } = await sharp(await image.body()).metadata();
  expect({ format, width, height }).toEqual({ format: "png", width: 1200, height: 630 });

  const data = JSON.parse((await page.locator("script[type='application/ld+json']").textContent()) ?? "");
  const faq = data["@graph"].find((entry: { "@type": string }) => entry["@type"] === "FAQPage");
  const questions = faq.mainEntity.map(({ name }: { name: string }) => name);
  // Each plus sign is drawn, and not part of the question.
  const shown = (await page.locator("summary").allInnerTexts()).map((text) => text.replace(/\s*\+\s*$/, ""));
  expect(questions).toEqual(shown);
});

test("names the sitemap in robots.txt, whose pages all load and name themselves as canonical", async ({
  page,
  copy,
}) => {
  const robots = await (await page.request.get("/robots.txt")).text();
  expect(robots).toContain("Disallow: /dashboard");
  const address = /^Sitemap: (.*)$/m.exec(robots)?.[1] ?? "";
  expect(address).toBe(`${copy.url}/sitemap.xml`);
  const sitemap = await page.request.get(address);
  expect(sitemap.headers()["content-type"]).toContain("xml");
  const listed = [...(await sitemap.text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url ?? "");
  expect(listed).toContain(`${copy.url}/`);
  for (const url of listed) {
    const response = await page.request.get(url);
    expect(response.status(), url).toBe(200);
    expect(await response.text(), url).toContain(`<link rel="canonical" href="${url}"/>`);
  }
});

test("serves icons and a manifest of the stated types and sizes", async ({ page }) => {
  const manifest = await (await page.request.get("/site.webmanifest")).json();
  expect(manifest.name).toBe("Growline");
  for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
    const { width, height } = await sharp(await (await page.request.get(src)).body()).metadata();
    expect(`${width}x${height}`, src).toBe(sizes);
  }
  await page.goto("/");
  const touch = await page.locator("link[rel=apple-touch-icon]").getAttribute("href");
  expect((await sharp(await (await page.request.get(touch ?? "")).body()).metadata()).width).toBe(180);
});

test("shows at most three toasts, 356 px wide, for 4 s each", async ({ page }) => {
  await page.clock.install();
  await page.goto("/");
  await page.getByRole("button", { name: "Open support chat" }).click();
  const start = page.getByRole("button", { name: "Start Chat" });
  const toasts = page.locator("[data-sonner-toast]");
  const seen = page.locator("[data-sonner-toast][data-visible=true]");
  await start.click();
  await expect(toasts).toHaveText(["Please enter your name"]);
  expect(Math.round((await toasts.first().boundingBox())?.width ?? 0)).toBe(356);
  // From here on the test advances the clock.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.clock.runFor(1000);
  await expect(toasts).toHaveCount(0);
  for (let times = 0; times < 4; times++) await start.click();
  await page.clock.runFor(100);
  await expect(toasts).toHaveCount(4);
  await expect(seen).toHaveCount(3);
  await page.clock.runFor(3700);
  await expect(toasts).toHaveCount(4);
  await page.clock.runFor(800);
  await expect(toasts).toHaveCount(0);

  await page.getByLabel("Your name").fill("Ada");
  await start.click();
  await expect(page.getByPlaceholder("Type your message...")).toBeVisible();
  await page.clock.runFor(100);
  await expect(toasts).toHaveText(["Chat session started successfully!"]);
  await page.clock.runFor(3700);
  await expect(toasts).toHaveCount(1);
  await page.clock.runFor(800);
  await expect(toasts).toHaveCount(0);
});

test("shows a toast with a description for 5 s", async ({ page }) => {
  await page.clock.install();
  await page.goto("/gmail-sync?gmail=denied");
  const toasts = page.locator("[data-sonner-toast]");
  await expect(toasts).toContainText("You didn't allow access at Google");
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.clock.runFor(1000);
  await expect(toasts).toHaveCount(0);

  // Again, on a clock that advances only as far as the page needs to show the toast.
  await page.goto("/gmail-sync?gmail=denied");
  await expect(async () => {
    await page.clock.runFor(10);
    await expect(toasts).toContainText("Connection Failed", { timeout: 500 });
  }).toPass();
  await page.clock.runFor(4600);
  await expect(toasts).toHaveCount(1);
  await page.clock.runFor(900);
  await expect(toasts).toHaveCount(0);
});

test("prints in the light theme without header and footer", async ({ page }) => {
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

test("renders the server's dates and numbers first, then the reader's time zone and locale", async ({
  browser,
  copy,
}) => {
  const context = await browser.newContext({ baseURL: copy.url, locale: "de-DE", timezoneId: "Asia/Kathmandu" });
  const page = await context.newPage();
  // A difference would be a console error, which fails the test.
  for (const path of ["/", "/privacy-policy", "/auth/login"]) await page.goto(path, { waitUntil: "networkidle" });
  await page.goto("/auth/login");
  await page.getByLabel("Email address").fill(copy.demo.customer.email);
  await page.getByLabel("Password", { exact: true }).fill(copy.demo.customer.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL("/dashboard");
  await page.goto("/dashboard", { waitUntil: "networkidle" });
  await page.goto("/dashboard/account", { waitUntil: "networkidle" });
  await expect(page.locator("time").first()).toHaveAttribute("title", /\d{4}/);
  await context.close();
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
