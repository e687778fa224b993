import { expect, test } from "vitest";
import { linkTarget } from "#app/native/shell/link-routing.ts";
import { PUBLIC_PAGES, publicPages } from "#app/public-pages.ts";
import { loader as robots } from "#app/routes/site/robots.ts";
import { loader as sitemap } from "#app/routes/site/sitemap.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

const ORIGIN = "https://growline.example";
const args = { request: new Request(ORIGIN), params: {}, context: {} } as Parameters<typeof sitemap>[0];
const addresses = publicPages.flatMap(({ path, alias }) => [path, ...(alias ? [alias] : [])]);

test("lists only pages of app/routes.ts as public", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(addresses));
});

test("lists exactly the public pages in the sitemap", async () => {
  const listed = [...(await sitemap(args).text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url);
  expect(listed).toEqual(PUBLIC_PAGES.map(({ path }) => ORIGIN + path));
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
