import { expect, test } from "vitest";
import { readTableText, withoutSeparatorLine } from "./table-text.ts";

/** Bytes of Windows-1252 for punctuation that Latin-1 lacks. */
const MARKS = new Map([
  ["\u2026", 0x85],
  ["\u2018", 0x91],
  ["\u2019", 0x92],
  ["\u201c", 0x93],
  ["\u201d", 0x94],
  ["\u2013", 0x96],
  ["\u2014", 0x97],
]);
const latin1 = (text: string) => Buffer.from(text, "latin1");

test("reads UTF-8 and UTF-16 by their marks or without one", () => {
  expect(readTableText(Buffer.from("Zo\u00eb"))).toEqual({ text: "Zo\u00eb", encoding: "UTF-8" });
  expect(readTableText(Buffer.from("\ufeffZo\u00eb"))).toEqual({ text: "Zo\u00eb", encoding: "UTF-8" });
  expect(readTableText(Buffer.from("\ufeffZo\u00eb", "utf16le"))).toEqual({ text: "Zo\u00eb", encoding: "UTF-16" });
  const big = Buffer.from("\ufeffZo\u00eb", "utf16le").swap16();
  expect(readTableText(big)).toEqual({ text: "Zo\u00eb", encoding: "UTF-16" });
});

test("reads Windows-1252 where the bytes can only be that", () => {
  for (const name of [
    "Zo\u00eb M\u00fcller",
    "Jos\u00e9",
    "Gro\u00df\u00f6tting",
    "\u00c9milie",
    "Pe\u00f1a, \u00c5sa",
    "5 \u00a3",
    "Brand\u00ae value",
  ]) {
    expect(readTableText(latin1(name)), name).toEqual({ text: name, encoding: "Windows-1252" });
  }
  expect(readTableText(Buffer.from([0x4f, 0x92, 0x42, 0x72, 0x69, 0x65, 0x6e]))).toMatchObject({
    text: "O\u2019Brien",
  });
});

test("reads quotation marks and dashes of Windows-1252 where people type them", () => {
  for (const text of [
    "\u201cNow\u201d, \u2018then\u2019",
    "it\u2019s \u2013 yes\u2014no\u2026",
    "Ost\u2013West",
    "5\u201d, a \u201cb\u201d\r\n",
  ]) {
    const bytes = Buffer.from([...text].map((letter) => MARKS.get(letter) ?? letter.charCodeAt(0)));
    expect(readTableText(bytes), text).toEqual({ text, encoding: "Windows-1252" });
  }
});

test.each([
  ["Cyrillic of Windows-1251", [0xc8, 0xe2, 0xe0, 0xed]],
  ["Polish of ISO-8859-2", [0xa3, 0x75, 0x6b, 0x61, 0x73, 0x7a]],
  ["Turkish of Windows-1254", [0x41, 0x79, 0xfe, 0x65]],
  ["Mac OS Roman", [0x4a, 0x6f, 0x73, 0x8e]],
  ["Mac OS Roman at the end of a word", [0x5a, 0x6f, 0x91]],
  ["Mac OS Roman with a letter that is a dash", [0x50, 0x65, 0x96, 0x61]],
  ["a Mac's lines", [...Buffer.from("id\rGarc"), 0x92, ...Buffer.from("a\r")]],
  ["MS-DOS", [0x4d, 0x81, 0x6c, 0x6c, 0x65, 0x72]],
  ["MS-DOS with a letter that is a quotation mark", [0x4b, 0x94, 0x68, 0x6c, 0x65, 0x72]],
  ["MS-DOS at the start of a word", [0x20, 0x94, 0x73, 0x74]],
  ["Shift_JIS", [0x83, 0x5c, 0x83, 0x6a, 0x81, 0x5b]],
  ["GBK", [0xcd, 0xf5, 0xd0, 0xa1]],
  ["UTF-8 beside Latin-1", [0x5a, 0xc3, 0xab, 0x2c, 0x4a, 0xe9]],
  ["UTF-8 that is cut", [0x5a, 0xf0, 0x9f, 0x8e]],
])("doesn't guess the letters of %s", (_, bytes) => {
  const read = readTableText(Uint8Array.from(bytes));
  expect(read.encoding).toBeNull();
  expect(read.text).toContain("\ufffd");
});

test("takes Excel's line that states the separator, and leaves the line numbers", () => {
  expect(withoutSeparatorLine("sep=;\r\nid;link\r\n")).toEqual({ text: "\r\nid;link\r\n", separator: ";" });
  expect(withoutSeparatorLine("\ufeffSEP=\t\nid\tlink\n")).toEqual({ text: "\nid\tlink\n", separator: "\t" });
  expect(withoutSeparatorLine('"sep=,"\nid,link\n')).toEqual({ text: "\nid,link\n", separator: "," });
  expect(withoutSeparatorLine("separator;link\n")).toEqual({ text: "separator;link\n", separator: null });
});
