import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** A path's beginning that ends within a segment: "/auth" is also that of "/authors". */
const OPEN_END = /\.startsWith\((["'`])\/[\w/-]*[\w-]\1\)|\/\^(?:\\\/[\w-]+)+\/[gimsuvy]*\.test/g;

test("compares the beginning of paths up to the end of a segment", () => {
  const found = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).flatMap(([path, source]) =>
    /^(app|workers)\//.test(path) && !path.includes(".test.")
      ? (source.match(OPEN_END) ?? []).map((one) => `${path}: ${one}`)
      : [],
  );
  expect(found).toEqual([]);
});

test("notices an end within a segment", () => {
  const found = [
    'x.startsWith("/auth")',
    "x.startsWith('/api/')",
    String.raw`/^\/admin/.test(x)`,
    String.raw`/^\/admin(\/|$)/.test(x)`,
  ];
  expect(found.map((one) => one.match(OPEN_END) !== null)).toEqual([true, false, true, false]);
});
