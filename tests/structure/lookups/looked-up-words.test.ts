import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainLookups } from "./looked-up-words.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Lookups by names that the code itself lists: columns, bindings and views. */
const OWN_NAMES = [
  "app/orders/mass/place-mass-order.server.ts: values[name as keyof typeof values]",
  "app/support/console/list/inbox-head.tsx: counts[one]",
  "tools/data/restore.ts: target.stores[binding as DatabaseName]",
];

test("looks up words by ownValue, a Map or after Object.hasOwn, in all code that runs outside tests", () => {
  const names = ["app", "workers", "tools"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const paths = names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
  const found = plainLookups(files).filter((place) => place !== "app/own-value.ts: record[name]");
  expect(found.sort()).toEqual(OWN_NAMES);
});

test.each([
  ["a table", "const T: Record<string, number> = { a: 1 }; read(T[word]);"],
  ["a table of a named type", "type Table = { [word: string]: number }; const T: Table = {}; read(T[word]);"],
  ["a parameter", "function f(labels: Readonly<Record<string, string>> | null) { return labels?.[word]; }"],
  ["a property", "type Row = { cells: Record<string, string> }; function f(row: Row) { return row.cells[word]; }"],
  [
    "what is taken out of one",
    "type Row = { cells: Record<string, string> }; const { cells } = row; read(cells[word]);",
  ],
  ["an accumulator", "const counts: Record<string, number> = {}; counts[word] ??= 1;"],
  ["an object literal", "read({ a: 1, b: 2 }[word]);"],
  ["a cast name", "read(TABLE[word as keyof typeof TABLE]);"],
  ["the operator in", "read(word in TABLE);"],
])("finds a lookup in %s", (_, source) => {
  expect(plainLookups({ "a.ts": source })).toHaveLength(1);
});

test("finds a lookup in a table of another file", () => {
  const table = "export const TEXTS: Record<string, string> = {};";
  expect(plainLookups({ "a.ts": table, "b.ts": 'import { TEXTS } from "./a.ts"; read(TEXTS[word]);' })).toEqual([
    "b.ts: TEXTS[word]",
  ]);
});

test.each([
  ["an array", "const list: string[] = []; read(list[at]);"],
  ["a table of known names", "const T: Record<Kind, number> = { a: 1 }; read(T[kind]);"],
  ["a name that is written out", 'const T: Record<string, number> = {}; read(T["a"]);'],
  ["a name in a constant", "const T: Record<string, number> = {}; read(T[FIRST_NAME]);"],
  ["a name that was asked for", "read(Object.hasOwn(TABLE, word) ? TABLE[word as Name] : undefined);"],
  ["what is only written", "const counts: Record<string, number> = {}; counts[word] = 1;"],
  ["a property of a known name", 'read("error" in body);'],
])("leaves %s alone", (_, source) => {
  expect(plainLookups({ "a.ts": source })).toEqual([]);
});
