import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** Server and browser have different locales of their own: a page that asks for neither's name is hydrated as another text. */
const UNNAMED = /\.toLocale(Date|Time)?String\((?!"en-US"|locale\b)|Intl\.\w+Format\((\)\.format|undefined)/;

test("formats nothing by the locale of the machine that renders it", () => {
  const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(([path]) =>
    path.startsWith("app/"),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter(([, source]) => UNNAMED.test(source)).map(([path]) => path)).toEqual([]);
});
