import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

const CURLY = "\u2019";

test("writes apostrophes straight, in texts and comments", () => {
  const curly = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([, source]) => source.includes(CURLY))
    .map(([path]) => path);
  expect(curly).toEqual([]);
});
