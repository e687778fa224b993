import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";

test("what is written is read back as it was", () => {
  const cells = ['a "quoted", cell', "two\r\nlines", "", "plain", "ü 漢"];
  expect(parse(csvLine(cells))).toEqual([cells]);
});

test("a cell that a spreadsheet would run is made plain, a number is not touched", () => {
  for (const formula of ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\n=1", "\r\n=1", '=HYPERLINK("x")']) {
    expect(parse(csvLine([formula]))).toEqual([[`'${formula}`]]);
  }
  expect(csvLine([-5, "-5.25", "12"])).toBe("-5,-5.25,12\r\n");
});
