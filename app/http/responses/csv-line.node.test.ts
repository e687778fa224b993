import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { cellText, csvLine } from "./csv-line.ts";

test("writes cells that are read back unchanged", () => {
  const cells = ['a "quoted", cell', "two\r\nlines", "", "plain", "ü 漢"];
  expect(parse(csvLine(cells))).toEqual([cells]);
});

test("defuses a cell that a spreadsheet would run, and leaves numbers unchanged", () => {
  for (const formula of ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", '=HYPERLINK("x")', "＝1", "＋1", "－1", "＠A1", " =1"]) {
    expect(parse(csvLine([formula]))).toEqual([[`'${formula}`]]);
  }
  for (const blank of ["\t", "\n", "\r\n"]) {
    expect(parse(csvLine([`${blank}=1`]))).toEqual([[`'${blank}'=1`]]);
    expect(parse(csvLine([`${blank}a`]))).toEqual([[`'${blank}a`]]);
  }
  expect(csvLine([-5, "-5.25", "12"])).toBe("-5,-5.25,12\r\n");
});

test("defuses a formula behind any blank, control or invisible character, and in small signs", () => {
  const before = ["\0", "\u000b", "\f", "\u0085", "\u200b", "\ufeff", "\u2003", "\u2028", " \u200b'\u2003"];
  for (const formula of [...before.map((blank) => `${blank}=1`), "\ufe661", "\ufe621", "\ufe631", "\ufe6bA1"]) {
    const cells = [formula, `;${formula}`, `a\t${formula}`];
    const [read = []] = parse(csvLine(cells)) as string[][];
    expect(read, JSON.stringify(formula)).toEqual([`'${formula}`, `;'${formula}`, `a\t'${formula}`]);
    expect(read.map(cellText), JSON.stringify(formula)).toEqual(cells);
  }
});

test("quotes what separates cells for other programs, and defuses the formula behind it", () => {
  expect(csvLine(["a;b", "a\tb"])).toBe('"a;b","a\tb"\r\n');
  expect(csvLine([";=1+1;x"])).toBe(`";'=1+1;x"\r\n`);
  expect(csvLine(["a\t=1", "b\n ＝1", 'c;"@A1'])).toBe(`"a\t'=1","b\n' ＝1","c;'""@A1"\r\n`);
});

test("leaves no cell that begins with a formula for any separator, and reads every text back", () => {
  const letters = ["=", "＠", "'", '"', ";", "\t", "\n", " ", "a"];
  let texts = [""];
  for (let length = 1; length <= 4; length++) {
    texts = texts.flatMap((text) => letters.map((letter) => text + letter));
    const lines = texts.map((text) => csvLine(["x", text]));
    const cells = lines.flatMap((line) => line.split(/[;\t\r\n]/));
    expect(cells.filter((cell) => /^[ "]*[=＠]/.test(cell))).toEqual([]);
    const read = parse(lines.join("")).map(([, cell = ""]) => cellText(cell));
    expect(read).toEqual(texts);
  }
});
