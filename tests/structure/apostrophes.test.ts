import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

const CURLY = "\u2019";
/** Its texts have curly apostrophes and are left to be converted. */
const UNCONVERTED = "app/orders/top-up/";

test("writes apostrophes straight, in texts and comments", () => {
  const curly = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([path, source]) => !path.startsWith(UNCONVERTED) && source.includes(CURLY))
    .map(([path]) => path);
  expect(curly).toEqual([]);
});
