import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { fractionalSql } from "./sql-integers.ts";

test("computes no fraction in SQL", () => {
  expect(fractionalSql(sourceFiles(join(import.meta.dirname, "..", "..")))).toEqual([]);
});

test("finds a division by a bound number, a fraction and an average, and nothing else", () => {
  const found = (source: string) =>
    fractionalSql({ "a.ts": `import { table } from "#app/db/schema.server.ts"; ${source.replaceAll("#{", "${")}` })
      .length;
  expect(found("sql`#{table.a} / #{DAY_MS}`")).toBe(1);
  expect(found("sql<number>`#{table.a} + (1 - #{table.a}) / min(#{table.n} + 1, #{MOST})`")).toBe(1);
  expect(found("sql`#{table.a} / #{row.price}`")).toBe(1);
  expect(found("const own = sqliteTable('own', {}); sql`#{own.a} / #{table.b}`")).toBe(0);
  expect(found("sql`#{table.a} / #{sql.raw(String(DAY_MS))}`")).toBe(0);
  expect(found("sql`#{table.a} / cast(#{DAY_MS} as integer)`")).toBe(0);
  expect(found("sql`cast(#{table.a} * (1 / #{share}) as integer)`")).toBe(0);
  expect(found("sql`#{table.a} + #{amount}`")).toBe(0);
  expect(found("sql`replace(#{text}, '/', #{other})`")).toBe(0);
  expect(found("sql`#{table.a} * 0.3`")).toBe(1);
  expect(found("sql`#{table.a} * .3`")).toBe(1);
  expect(found("sql.raw(`price * 1.5`)")).toBe(1);
  expect(found("sql.raw('price * 1.5')")).toBe(1);
  expect(found("sql`cast(#{table.a} * 0.3 as integer)`")).toBe(0);
  expect(found("sql`#{table.text} = '0.3'`")).toBe(0);
  expect(found("sql`avg(#{table.a})`")).toBe(1);
  expect(found("sql`select AVG (x) from #{table}`")).toBe(1);
  expect(found("sql`cast(avg(#{table.a}) as integer)`")).toBe(0);
  expect(found("db.select({ a: avg(table.a) })")).toBe(1);
});
