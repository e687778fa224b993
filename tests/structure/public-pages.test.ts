import type { AppLoadContext } from "@remix-run/cloudflare";
import { expect, test } from "vitest";
import { linkTarget } from "#app/native/shell/link-routing.ts";
import { PUBLIC_PAGES, publicPages } from "#app/public-pages.ts";
import { loader as robots } from "#app/routes/site/robots.ts";
import { loader as sitemap } from "#app/routes/site/sitemap.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

const ORIGIN = "https://growline.example";
const args = sitemapOf(0);
const addresses = publicPages.flatMap(({ path, alias }) => [path, ...(alias ? [alias] : [])]);

test("lists only pages of app/routes.ts as public", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(addresses));
});

test("lists the public pages and each service in the sitemap", async () => {
  const pages = PUBLIC_PAGES.map(({ path }) => ORIGIN + path);
  expect(await addressesOf(sitemap(args))).toEqual(pages);
  const services = [`${ORIGIN}/services/1-likes-more-1`, `${ORIGIN}/services/2-likes-more-2`];
  expect(await addressesOf(sitemap(sitemapOf(2)))).toEqual([...pages, ...services]);
});

test("splits a sitemap of many services into parts that crawlers accept", async () => {
  const index = await addressesOf(sitemap(sitemapOf(50_000)));
  expect(index.length).toBeGreaterThan(1);
  const parts = await Promise.all(
    index.map((url) => addressesOf(sitemap(sitemapOf(50_000, url.replaceAll("&amp;", "&"))))),
  );
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(50_000);
  expect(new Set(parts.flat()).size).toBe(50_000 + PUBLIC_PAGES.length);
  expect((await sitemap(sitemapOf(2, `${ORIGIN}/sitemap.xml?part=7`))).status).toBe(404);
});

test("lets crawlers read every public page in robots.txt", async () => {
  const rules = [...(await robots(args).text()).matchAll(/^(Allow|Disallow): (.*)$/gm)].map(
    ([, rule, prefix = ""]) => ({
      allows: rule === "Allow",
      prefix,
    }),
  );
  expect(rules.length).toBeGreaterThan(5);
  for (const { path } of PUBLIC_PAGES) {
    // The longest matching rule counts.
    const [rule] = rules
      .filter(({ prefix }) => path.startsWith(prefix))
      .sort((one, other) => other.prefix.length - one.prefix.length);
    expect(rule?.allows ?? true, path).toBe(true);
  }
});

test("opens public pages behind the app's gate in the system's browser without a session", () => {
  for (const { path, alias, opensInBrowser } of publicPages) {
    for (const address of [path, ...(alias ? [alias] : [])]) {
      expect(linkTarget(address, ORIGIN, false).to, address).toBe(opensInBrowser ? "browser" : "page");
    }
  }
});

function sitemapOf(count: number, url = `${ORIGIN}/sitemap.xml`): Parameters<typeof sitemap>[0] {
  const services = Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `Likes & more #${at + 1}` }));
  const context = { catalog: { listed: async () => ({ version: 1, services }) } } as unknown as AppLoadContext;
  return { request: new Request(url), params: {}, context };
}

async function addressesOf(response: Promise<Response>): Promise<string[]> {
  return [...(await (await response).text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url ?? "");
}
