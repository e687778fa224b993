import { expect, test } from "vitest";
import { readTableText } from "#app/http/table-text.ts";
import { readMassLines } from "./mass-lines.server.ts";
import { readAsText } from "./mass-read-as.ts";

const row = "1;https://x.example/é;100";

test.each([
  [Buffer.from(row.replaceAll(";", ",")), null],
  [Buffer.from(row.replaceAll(";", " | ")), null],
  [Buffer.from("https://x.example/é"), null],
  [Buffer.from(row), "Read as UTF-8, separated by semicolons."],
  [Buffer.from(row, "latin1"), "Read as Windows-1252, separated by semicolons."],
  [Buffer.from("https://x.example/é", "latin1"), "Read as Windows-1252."],
  [Buffer.from(`\ufeff${row.replaceAll(";", "\t")}`, "utf16le"), "Read as UTF-16, separated by tabs."],
  // Mac OS Roman, which can't be told.
  [Buffer.from("1,https://x.example/\u008e,100", "latin1"), "Read as UTF-8, separated by commas."],
])("says how the file %j was read, unless it is UTF-8 with commas", (bytes, text) => {
  expect(readFile(bytes)).toBe(text);
});

test("says how pasted lines were split, unless at commas or as people type them", () => {
  expect(readPasted(row)).toBe("Read as text separated by semicolons.");
  expect(readPasted(row.replaceAll(";", "\t"))).toBe("Read as text separated by tabs.");
  expect(readPasted(row.replaceAll(";", " | "))).toBeNull();
  expect(readPasted(row.replaceAll(";", ","))).toBeNull();
});

function readFile(bytes: Uint8Array): string | null {
  const { text, encoding } = readTableText(bytes);
  return readAsText({ separator: separatorOf(text), encoding });
}

function readPasted(text: string): string | null {
  return readAsText({ separator: separatorOf(text) });
}

function separatorOf(text: string) {
  const read = readMassLines(text);
  if (!read.ok) throw new Error(read.text);
  return read.separator;
}
