import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";

test("writes cells that are read back unchanged", () => {
  const cells = ['a "quoted", cell', "two\r\nlines", "", "plain", "ü 漢"];
  expect(parse(csvLine(cells))).toEqual([cells]);
});

test("defuses a cell that a spreadsheet would run, and leaves numbers unchanged", () => {
  for (const formula of ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\n=1", "\r\n=1", '=HYPERLINK("x")']) {
    expect(parse(csvLine([formula]))).toEqual([[`'${formula}`]]);
  }
  expect(csvLine([-5, "-5.25", "12"])).toBe("-5,-5.25,12\r\n");
});
