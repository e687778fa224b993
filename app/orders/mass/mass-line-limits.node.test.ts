import type { Options } from "csv-parse";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  MASS_MAX_BYTES,
  MASS_MAX_CELLS,
  MASS_MAX_LINES,
  MASS_MAX_RECORDS,
  readMassLines,
} from "./mass-lines.server.ts";

/** What the library made: records and their cells, and the error that it builds for each record of another length. */
const made = vi.hoisted(() => ({ records: 0, cells: 0 }));

vi.mock("csv-parse/sync", async (importOriginal) => {
  const library = await importOriginal<typeof import("csv-parse/sync")>();
  const parse = (text: string, options: Options) =>
    library.parse(text, {
      ...options,
      on_record: (record: string[], info) => {
        made.records++;
        made.cells += record.length;
        return options.on_record ? options.on_record(record, info) : record;
      },
    });
  return { ...library, parse };
});

beforeEach(() => {
  Object.assign(made, { records: 0, cells: 0 });
  vi.spyOn(Error, "captureStackTrace");
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Texts of the largest size, each with the most of something. */
const LARGEST: Record<string, { unit: string; start?: string; refusal: string | null }> = {
  "lines of one letter": { unit: "a\n", refusal: "at most 5,000 lines" },
  "lines of two cells": { unit: "1|2\n", refusal: "at most 5,000 lines" },
  "lines of other lengths": { start: "1,2,3\n", unit: "a\n", refusal: "at most 5,000 lines" },
  "empty lines": { start: "1,2,3\n", unit: "\n", refusal: null },
  "empty lines before the first": { unit: "\n", refusal: "no lines" },
  "lines of a space": { start: "1,2,3\n", unit: " \n", refusal: null },
  "lines of a delimiter at the end": { start: "1,2,3\n", unit: ",\n", refusal: null },
  "lines of a delimiter between others": { start: "1,2,3\n", unit: `${",\n".repeat(9)}1\n`, refusal: "empty" },
  "lines of an empty cell in quotes": { start: "1,2,3\n", unit: '""\n', refusal: "empty" },
  "cells of one line": { start: "1,2,3", unit: ",a", refusal: "table" },
  "empty cells of one line": { start: "1,2,3", unit: ",", refusal: null },
  "empty cells between two": { start: "1,2,3\n", unit: `${",".repeat(999)}1\n`, refusal: "cells" },
  "lines of one cell": { start: '1,2,"', unit: "\n", refusal: "quote" },
};

test.each(Object.entries(LARGEST))("makes few records and cells of 4 MB of %s", (_, { unit, start = "", refusal }) => {
  const text = start + unit.repeat(Math.floor((MASS_MAX_BYTES - start.length) / unit.length));
  const read = readMassLines(text);
  if (refusal === null) expect(read.ok).toBe(true);
  else expect(read).toMatchObject({ ok: false, text: expect.stringContaining(refusal) });
  expect(made.records).toBeLessThanOrEqual(MASS_MAX_RECORDS + 1);
  expect(made.cells).toBeLessThanOrEqual(MASS_MAX_CELLS + 1000);
  expect(vi.mocked(Error.captureStackTrace).mock.calls.length).toBeLessThanOrEqual(MASS_MAX_RECORDS + 1);
});

test("reads the most lines with the longest cells, and empty ones between and below them", () => {
  const link = `https://x.example/${"p".repeat(700)}`;
  const line = `1,${link},100,,,,,,,,,,,,,,,,,,,,,,,,,\n`;
  const text = `service,link,quantity\n${`${line}\n`.repeat(MASS_MAX_LINES)}`;
  const rest = MASS_MAX_BYTES - text.length;
  const read = readMassLines(text + ",,,\n".repeat(rest / 4));
  expect(read.ok && [read.rows.length, read.rows.at(-1)?.line, read.rows.at(-1)?.fields.link]).toEqual([
    MASS_MAX_LINES,
    2 * MASS_MAX_LINES,
    link,
  ]);
});

test("reads lists of 200,000 characters as cells, and counts their lines", () => {
  const comments = "a\n".repeat(100_000).trimEnd();
  const text = `service,link,comments\n${`3,https://x.example,"${comments}"\n`.repeat(20)}`;
  const read = readMassLines(text);
  expect(read.ok && read.rows.map(({ line }) => line).slice(0, 3)).toEqual([2, 100_002, 200_002]);
  expect(read.ok && read.rows.at(-1)?.fields.comments).toBe(comments);
});
