import type { RouteConfigEntry } from "@remix-run/route-config";
import { expect, test } from "vitest";
import { DEEP_LINKS, deepLinkPath } from "#app/native/shell/deep-links.ts";
import routes from "#app/routes.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

const ORIGIN = "https://growline.example";

test("opens every page below the listed deep links, and nothing else", () => {
  const roots = DEEP_LINKS.map(({ path }) => path);
  const pages = new Set(pagePaths());
  const near = patterns(routes as RouteConfigEntry[], "").filter((it) =>
    roots.some((root) => it === root || it.startsWith(`${root}/`)),
  );
  expect(near.length).toBeGreaterThan(roots.length);
  for (const pattern of near) {
    const path = pattern.replaceAll(/:\w+/g, "1");
    expect(deepLinkPath(ORIGIN + path, ORIGIN), pattern).toBe(pages.has(pattern) ? path : null);
  }
});

function patterns(entries: RouteConfigEntry[], parent: string): string[] {
  return entries.flatMap((entry) => {
    const own = entry.path === undefined ? parent : `${parent}/${entry.path}`;
    return [own, ...patterns(entry.children ?? [], own)];
  });
}
