import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { RESOURCE_EXPORTS } from "#app/console/stores/all-stores.server.ts";
import { routesWithLoader, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import exportSource from "./list-export.ts?raw";

/** Texts that FTS5 or SQL could take for something else than words, as a URL writes them. */
const SHOWN = "%00%ED%A0%80abc%01%1B";
const ODD = [SHOWN, "%22abc%22%20OR%20%22%20abc*%20NEAR(%25_%5C%00"];

test("answers every search of the console and of its exports, whatever is searched for", async () => {
  const written = [...exportSource.matchAll(/^ {2}"?([\w-]+)"?: export\w+,$/gm)].map(([, name]) => name);
  const exported = [...written, ...Object.keys(RESOURCE_EXPORTS)];
  expect(exported.length).toBeGreaterThan(15);
  const pages = routesWithLoader().filter((path) => path.startsWith("/admin") && !path.includes(":"));
  expect(pages).toEqual(expect.arrayContaining(["/admin/customers", "/admin/orders", "/admin/audit"]));
  const { cookie } = await storedSignIn("admin");
  const failed: string[] = [];
  for (const [at, path] of [...pages, ...exported.map((name) => `/admin/exports/${name}`)].entries()) {
    for (const text of atScale(0, 1) || at % 4 === 0 ? ODD : ODD.slice(1)) {
      // The data of a page comes from the same search. One text is also written into the page.
      const asked = pages.includes(path) && text !== SHOWN ? `${path}.data` : path;
      // The audit log is searched by what an entry is about.
      const url = `${asked}?q=${text}&about=customer&of=${text}`;
      const answer = await SELF.fetch(`${SITE}${url}`, { headers: { Cookie: cookie }, redirect: "manual" });
      // An export has sent its status before it reads.
      await answer.text().catch(() => failed.push(`${url}: cut off`));
      if (answer.status >= 500) failed.push(`${url}: ${answer.status}`);
    }
  }
  expect(failed).toEqual([]);
});
