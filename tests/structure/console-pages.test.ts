import { expect, test } from "vitest";
import { consoleGroups } from "#app/console/navigation/console-pages.server.ts";
import { consolePaths } from "#tests/operator/console-paths.ts";
import { STATES } from "#tools/pages/console-states.ts";
import { consolePatterns } from "#tools/pages/page-list.ts";

/** Pages of a selection, which a list leads to. */
const NOT_LISTED = ["/admin/orders/bulk", "/admin/services/bulk"];

test("lists every page of the console once in its navigation", () => {
  const paths = consolePatterns().filter((pattern) => !pattern.includes(":"));
  const pathsOf = (role: "agent" | "admin") => consoleGroups(role).flatMap(({ pages }) => pages.map(({ to }) => to));
  const listed = pathsOf("admin");
  expect(listed.toSorted()).toEqual(paths.filter((path) => !NOT_LISTED.includes(path)).toSorted());
  expect(listed).toEqual(expect.arrayContaining(pathsOf("agent")));
});

test("has an example and a picture of every page of the console, for all that measures or shows them", async () => {
  const paths = await consolePaths(consolePatterns(), async () => 7);
  expect([...paths.keys()]).toEqual(consolePatterns());
  expect([...paths.values()].filter((path) => path.includes(":"))).toEqual([]);
  const names = STATES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(consolePatterns().length);
});
