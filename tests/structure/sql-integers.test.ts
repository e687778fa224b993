import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { boundDivisions } from "./sql-integers.ts";

test("no SQL divides by a bound number", () => {
  expect(boundDivisions(sourceFiles(join(import.meta.dirname, "..", "..")))).toEqual([]);
});

test("finds a division by a bound number, and nothing else", () => {
  const found = (source: string) => boundDivisions({ "a.ts": source.replaceAll("#{", "${") }).length;
  expect(found("sql`#{table.a} / #{DAY_MS}`")).toBe(1);
  expect(found("sql<number>`#{table.a} + (1 - #{table.a}) / min(#{table.n} + 1, #{MOST})`")).toBe(1);
  expect(found("sql`#{table.a} / #{sql.raw(String(DAY_MS))}`")).toBe(0);
  expect(found("sql`#{table.a} / cast(#{DAY_MS} as integer)`")).toBe(0);
  expect(found("sql`#{table.a} + #{amount}`")).toBe(0);
  expect(found("sql`replace(#{text}, '/', #{other})`")).toBe(0);
});
