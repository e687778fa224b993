import sharp from "sharp";
import { expect, test } from "#tests/e2e/fixtures.ts";

const IS_CORE = process.env.TEST_TIER === "core";

test("names the sitemap in robots.txt, whose pages all load and name themselves as canonical, and serves icons of the stated types and sizes", async ({
  request,
  copy,
}) => {
  const robots = await (await request.get(`${copy.url}/robots.txt`)).text();
  expect(robots).toContain("Disallow: /dashboard");
  const address = /^Sitemap: (.*)$/m.exec(robots)?.[1] ?? "";
  expect(address).toBe(`${copy.url}/sitemap.xml`);
  const sitemap = await request.get(address);
  expect(sitemap.headers()["content-type"]).toContain("xml");
  const listed = [...(await sitemap.text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url ?? "");
  expect(listed).toContain(`${copy.url}/`);
  // The services' pages are one page with other figures.
  const services = listed.filter((url) => new URL(url).pathname.startsWith("/services/"));
  expect(services.length).toBeGreaterThan(5);
  const loaded = IS_CORE ? listed.filter((url) => !services.slice(2).includes(url)) : listed;
  for (const url of loaded) {
    const response = await request.get(url);
    expect(response.status(), url).toBe(200);
    expect(await response.text(), url).toContain(`<link rel="canonical" href="${url}"/>`);
  }

  const manifest = await (await request.get(`${copy.url}/site.webmanifest`)).json();
  expect(manifest.name).toBe("Growline");
  for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
    const { width, height } = await sharp(await (await request.get(new URL(src, copy.url).href)).body()).metadata();
    expect(`${width}x${height}`, src).toBe(sizes);
  }
});
