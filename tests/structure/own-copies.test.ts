import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A fixture of the worker gives its file a worker of its own, and so a copy, as Playwright shares workers by their fixtures. */
const STARTS_A_COPY = /startLocalCopy|scope: "worker"/;

test("starts no further copy of the product in the browser tests of npm test", () => {
  const specs = globSync("tests/e2e/**/*.spec.ts");
  expect(specs.length).toBeGreaterThan(50);
  const starting = specs.filter((path) => STARTS_A_COPY.test(readFileSync(path, "utf8")));
  expect(starting.filter((path) => !path.endsWith(".nightly.spec.ts"))).toEqual([]);
  // Otherwise the expression finds nothing anymore.
  expect(starting).not.toEqual([]);
});
