import { expect, test } from "vitest";
import { consolePages } from "#app/components/navigation/console-pages.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

/** Pages that need a selection, and the one for addresses that lead nowhere. */
const NOT_LISTED = ["/admin/orders/bulk", "/admin/services/bulk", "/admin/*"];

test("lists every page of the console once in its navigation", () => {
  const paths = pagePaths().filter((path) => /^\/admin(\/|$)/.test(path) && !path.includes(":"));
  const listed = consolePages("admin").map(({ to }) => to);
  expect(listed.toSorted()).toEqual(paths.filter((path) => !NOT_LISTED.includes(path)).toSorted());
  expect(listed).toEqual(expect.arrayContaining(consolePages("agent").map(({ to }) => to)));
});
