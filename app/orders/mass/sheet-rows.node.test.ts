import { expect, test } from "vitest";
import { readMassLines } from "./mass-lines.server.ts";
import {
  changeSheet,
  clipboardCells,
  csvOf,
  isBlank,
  isWholeLines,
  newSheet,
  type Sheet,
  textOf,
} from "./sheet-rows.ts";

const line = (service: string, link = "", quantity = "") => ({ service, link, quantity });
const services = (sheet: Sheet) => sheet.rows.map(({ cells }) => cells.service ?? "");

test("starts with blank rows, and puts pasted lines in their place", () => {
  const sheet = newSheet([]);
  expect(sheet.rows.every(isBlank)).toBe(true);
  const pasted = changeSheet(sheet, { kind: "insert", at: sheet.rows[0]?.id ?? 0, lines: [line("1"), line("2")] });
  expect(services(pasted)).toEqual(["1", "2"]);
  const below = changeSheet(pasted, { kind: "insert", at: pasted.rows[0]?.id ?? 0, lines: [line("3")] });
  expect(services(below)).toEqual(["1", "3", "2"]);
  expect(services(changeSheet(below, { kind: "insert", at: null, lines: [line("4")] }))).toEqual(["1", "3", "2", "4"]);
});

test("undoes and redoes a paste, and typing in one cell as one change", () => {
  const start = newSheet([line("1")]);
  const id = start.rows[0]?.id ?? 0;
  const type = (sheet: Sheet, text: string, column = "link") => changeSheet(sheet, { kind: "type", id, column, text });
  const typed = type(type(type(start, "a"), "ab"), "9", "quantity");
  const pasted = changeSheet(typed, { kind: "insert", at: id, lines: [line("2")] });
  const undo = (sheet: Sheet) => changeSheet(sheet, { kind: "undo" });
  expect(services(undo(pasted))).toEqual(["1"]);
  expect(services(changeSheet(undo(pasted), { kind: "redo" }))).toEqual(["1", "2"]);
  expect(undo(undo(pasted)).rows[0]?.cells).toMatchObject({ link: "ab", quantity: "" });
  expect(undo(undo(undo(pasted))).rows[0]?.cells.link).toBe("");
  expect(undo(undo(undo(undo(pasted)))).rows).toEqual(start.rows);
});

test("fills a block of cells from one cell on, and adds the rows it needs", () => {
  const sheet = newSheet([line("1", "x", "5"), line("2")]);
  const filled = changeSheet(sheet, {
    kind: "fill",
    at: sheet.rows[1]?.id ?? 0,
    columns: ["link", "quantity"],
    block: [
      ["a", "10", "beyond"],
      ["b", "20"],
    ],
  });
  expect(filled.rows.map(({ cells }) => cells)).toEqual([
    line("1", "x", "5"),
    line("2", "a", "10"),
    { link: "b", quantity: "20" },
  ]);
});

test("deletes a row, and leaves blank ones when none is left", () => {
  const sheet = newSheet([line("1")]);
  const emptied = changeSheet(sheet, { kind: "delete", ids: new Set([sheet.rows[0]?.id ?? 0]) });
  expect(emptied.rows.length).toBeGreaterThan(0);
  expect(csvOf(emptied.rows)).toBe("service,link,quantity");
});

test("writes a CSV that the server reads as the same cells", () => {
  const cells: Record<string, string>[] = [
    { service: "1", link: 'https://x.example/"a",b', quantity: "100" },
    { service: "", link: "|; \t", quantity: "" },
    {},
    { service: "2", link: "https://y.example", quantity: "", comments: "one\ntwo, three" },
  ];
  const read = readMassLines(csvOf(newSheet(cells).rows));
  expect(read.ok && read.rows.map(({ service, fields }) => ({ service, ...fields }))).toEqual([
    { service: "1", link: 'https://x.example/"a",b', quantity: "100" },
    { service: "", link: "|;" },
    { service: "2", link: "https://y.example", comments: "one\ntwo, three" },
  ]);
});

test("knows rows that say the same, whatever their order of cells", () => {
  const [one, other, blank] = newSheet([
    { service: "1", link: "a" },
    { link: "a", quantity: " ", service: "1" },
    { link: " " },
  ]).rows;
  expect(one && textOf(one)).toBe(other && textOf(other));
  expect(blank && textOf(blank)).toBe("");
});

test("splits cells as spreadsheets copy them", () => {
  expect(clipboardCells("a\tb\r\nc\t\r\n")).toEqual([
    ["a", "b"],
    ["c", ""],
  ]);
  expect(clipboardCells('"say ""hi""\nthere"\t2\n"",x')).toEqual([['say "hi"\nthere', "2"], [",x"]]);
});

test("tells whole lines from the cells of one column", () => {
  expect(isWholeLines("1 | https://x.example | 5", "link")).toBe(true);
  expect(isWholeLines("1\thttps://x.example\t5", "service")).toBe(true);
  expect(isWholeLines("https://x.example/a,b\nhttps://y.example", "link")).toBe(false);
  expect(isWholeLines("1\n2\n3", "service")).toBe(false);
});
