import { expect, test } from "vitest";
import { consolePages } from "#app/components/navigation/console-pages.ts";
import { pagePaths } from "#tools/pages/page-list.ts";

/** Pages that need a selection. */
const REACHED_FROM_LISTS = ["/admin/orders/bulk", "/admin/services/bulk"];

test("lists every page of the console once in its navigation", () => {
  const paths = pagePaths().filter((path) => /^\/admin(\/|$)/.test(path) && !path.includes(":"));
  const listed = consolePages("admin").map(({ to }) => to);
  expect(listed.toSorted()).toEqual(paths.filter((path) => !REACHED_FROM_LISTS.includes(path)).toSorted());
  expect(listed).toEqual(expect.arrayContaining(consolePages("agent").map(({ to }) => to)));
});
