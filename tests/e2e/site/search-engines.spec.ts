import sharp from "sharp";
import { expect, test } from "#tests/e2e/fixtures.ts";

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
