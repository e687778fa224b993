import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Quotes } from "./csv-records.ts";
import { type ExportRow, readExport } from "./legacy-export.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ["email", "password", "name"];
const RUNS = 1000;
const PIECES = [
  "a",
  "Zoë",
  ",",
  ";",
  "\t",
  '"',
  '""',
  "\\",
  '\\"',
  "\n",
  "\r\n",
  "NULL",
  "\\N",
  "=1",
  " ",
  "x@y.example",
];

test("refuses a row that an unquoted line break in the last column cuts in two, and names both lines", () => {
  const rows = read("email,password,name\nann@a.example,h1,Ann\nSmith\nbo@a.example,h2,Bo\n");
  expect(rows).toEqual([
    { line: 2, why: "may go on at line 3, which is not a whole row", broken: true },
    { line: 3, why: "1 cells instead of 3", broken: true },
    { line: 4, columns: { email: "bo@a.example", password: "h2", name: "Bo" } },
  ]);
});

test("stores nothing of two accounts whose stray quotes hold the rows between them", () => {
  const rows = read(
    'email,name,password\neve@a.example,"x,h1\nvictim@a.example,Vic,h2\neve2@a.example,y",h3\nowner@a.example,Ann,h4\n',
  );
  expect(rows).toEqual([
    { line: 2, why: "a quote may hold the row at line 3", broken: true },
    { line: 5, columns: { email: "owner@a.example", name: "Ann", password: "h4" } },
  ]);
});

test("reads every row that a careful writer wrote as it was, or refuses it", () => {
  const random = seeded(18);
  let read = 0;
  for (let run = 0; run < RUNS; run++) {
    const format = formatOf(random);
    const rows = Array.from({ length: 1 + random(4) }, () => NAMES.map(() => cellOf(random)));
    const text = [NAMES, ...rows].map((row) => row.map((cell) => quoted(cell, format, random)).join(format.delimiter));
    const found = readExport(fileOf(text.join(format.newline)), { quotes: format.quotes }).rows;
    const written = rows.map((row) => JSON.stringify(row));
    for (const row of found) {
      if (!("columns" in row)) continue;
      expect(written, text.join(format.newline)).toContain(JSON.stringify(NAMES.map((name) => row.columns[name])));
      read++;
    }
  }
  expect(read).toBeGreaterThan(RUNS);
});

test("mixes no rows of a writer that never quotes, whatever the names hold", () => {
  const random = seeded(37);
  let read = 0;
  for (let run = 0; run < RUNS; run++) {
    const { delimiter, newline, quotes } = formatOf(random);
    // A line break in a name makes a row that nothing tells from another person's.
    const names = Array.from({ length: 2 + random(5) }, () => cellOf(random).replaceAll(/[\r\n]/g, ""));
    const lines = names.map((name, at) => [`p${at}@a.example`, name, `h${at}`].join(delimiter));
    const text = [["email", "name", "password"].join(delimiter), ...lines].join(newline);
    for (const row of readExport(fileOf(text), { quotes }).rows) {
      if (!("columns" in row)) continue;
      const { email = "", name = "", password } = row.columns;
      const at = Number(/^p(\d)@a\.example$/.exec(email)?.[1] ?? Number.NaN);
      expect([password, row.line], text).toEqual([`h${at}`, at + 2]);
      // A name in quotes is read without them.
      expect(bare(names[at] ?? ""), text).toContain(bare(name));
      read++;
    }
  }
  expect(read).toBeGreaterThan(RUNS);
});

test("gives nobody another person's hash, whichever program wrote the file and whatever the names hold", () => {
  const random = seeded(44);
  const read = new Map<string, number>();
  for (let run = 0; run < 3 * RUNS; run++) {
    const format = formatOf(random);
    const kind = (["quoted", "client", "outfile"] as const)[random(3)] ?? "quoted";
    const names = Array.from({ length: 1 + random(5) }, () => nameOf(random, format.delimiter));
    const rows = [["email", "name", "password"], ...names.map((name, at) => [`p${at}@a.example`, name, `h${at}`])];
    const cellIn = (cell: string) => (kind === "quoted" ? quoted(cell, format, random) : escaped(cell, format, kind));
    const text = rows
      .map((row) => row.map(cellIn).join(format.delimiter))
      .join(kind === "quoted" ? format.newline : "\n");
    for (const row of readUnlessUnclear(text)) {
      if (!("columns" in row)) continue;
      const { email = "", password } = row.columns;
      const at = /^p(\d)@a\.example$/.exec(email)?.[1];
      expect([email, password], text).toEqual([`p${at}@a.example`, `h${at}`]);
      read.set(kind, (read.get(kind) ?? 0) + 1);
    }
  }
  for (const kind of ["quoted", "client", "outfile"]) expect(read.get(kind), kind).toBeGreaterThan(RUNS / 2);
});

test("restores every name of MariaDB's client and server, or asks", () => {
  const random = seeded(45);
  let asked = 0;
  for (let run = 0; run < RUNS; run++) {
    const format = { ...formatOf(random), delimiter: "\t" };
    const kind = random(2) === 0 ? "client" : "outfile";
    // A missing value and the text NULL are the same in what the client writes.
    const names = [
      ...Array.from({ length: 5 }, () => nameOf(random, "\t").replaceAll("NULL", "")),
      'Bob "Bo" Ray',
      "a\\b",
    ];
    const lines = names.map((name, at) => [`p${at}@a.example`, escaped(name, format, kind), `h${at}`].join("\t"));
    const rows = readUnlessUnclear(["email\tname\tpassword", ...lines].join("\n"));
    if (rows.length === 0) asked++;
    else expect(rows.map((row) => ("columns" in row ? row.columns.name : row.why))).toEqual(names);
  }
  expect(asked).toBe(0);
});

/** Returns no rows where the reader asks how the file is written. */
function readUnlessUnclear(text: string): ExportRow[] {
  try {
    const { rows } = readExport(fileOf(text));
    // An import stores nothing of such a file.
    return rows.some((row) => "why" in row && row.broken) ? [] : rows;
  } catch (error) {
    expect(String(error)).toMatch(/two ways|header/);
    return [];
  }
}

/** Returns a name like those that attack an import: with pieces of rows in it. */
function nameOf(random: Random, delimiter: string): string {
  const pieces = [
    ...PIECES,
    `h9\nq@a.example${delimiter}`,
    `${delimiter}h9\n`,
    `p1@a.example${delimiter}x${delimiter}h9`,
  ];
  return Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join("");
}

/** Writes a cell as MariaDB's client does, or as its server does INTO OUTFILE. */
function escaped(cell: string, { delimiter }: Format, kind: "client" | "outfile"): string {
  const marked = cell.replaceAll("\\", "\\\\");
  if (kind === "outfile") return marked.replaceAll(delimiter, `\\${delimiter}`).replaceAll("\n", "\\\n");
  const listed = marked.replaceAll("\t", "\\t").replaceAll("\n", "\\n");
  // The client separates by tabs alone.
  return delimiter === "\t" ? listed : listed.replaceAll(delimiter, "");
}

type Random = (below: number) => number;
type Format = { delimiter: string; quotes: Quotes; newline: string; all: boolean };

/** Returns a generator of the same whole numbers on every run (mulberry32). */
function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function formatOf(random: Random): Format {
  return {
    delimiter: [",", ";", "\t"][random(3)] ?? ",",
    quotes: random(2) === 0 ? "doubled" : "backslash",
    newline: random(2) === 0 ? "\n" : "\r\n",
    all: random(2) === 0,
  };
}

function cellOf(random: Random): string {
  return Array.from({ length: random(5) }, () => PIECES[random(PIECES.length)]).join("");
}

/** Writes a cell as the format says, in quotes where they are needed. */
function quoted(cell: string, { delimiter, quotes, all }: Format, random: Random): string {
  const isPlain = !/["\\\r\n]|^NULL$/.test(cell) && !cell.includes(delimiter);
  if (isPlain && !(all || random(3) === 0) && cell !== "") return cell;
  const inside =
    quotes === "doubled" ? cell.replaceAll('"', '""') : cell.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${inside}"`;
}

function bare(text: string): string {
  return text.replaceAll(/["\\]/g, "");
}

function read(text: string): ExportRow[] {
  return readExport(fileOf(text), { quotes: "doubled" }).rows;
}

function fileOf(text: string): string {
  const file = join(folder, "users.csv");
  writeFileSync(file, text);
  return file;
}
