import { expect, test } from "vitest";
import { readTableText } from "#app/http/table-text.ts";
import { readMassLines } from "#app/orders/mass/mass-lines.server.ts";

/** A sheet of orders, with what programs quote or lose: marks in links, lines and quotation marks in cells, a letter. */
const SHEET = [
  ["service", "link", "quantity", "comments"],
  ["1", "https://x.example/a,b;c", "100", ""],
  ["2", "https://x.example/d", "2", 'So "nice"\nZo\u00eb'],
  ["3", "https://x.example/e", "1", "5 \u20ac, now"],
  ["4", "https://x.example/f", "100", ""],
];

type Program = {
  separator: string;
  quotes: RegExp | "all";
  ends: string;
  encoding: string;
  first?: string;
  mark?: boolean;
};
const PROGRAMS: Record<string, Program> = {
  "Excel, CSV UTF-8": { separator: ",", quotes: /[,"\n]/, ends: "\r\n", encoding: "utf-8", mark: true },
  "Excel, CSV UTF-8 in Germany": { separator: ";", quotes: /[;"\n]/, ends: "\r\n", encoding: "utf-8", mark: true },
  "Excel, CSV": { separator: ",", quotes: /[,"\n]/, ends: "\r\n", encoding: "windows-1252" },
  "Excel, CSV in Germany": { separator: ";", quotes: /[;"\n]/, ends: "\r\n", encoding: "windows-1252" },
  "Excel, Unicode Text": { separator: "\t", quotes: /[\t,"\n]/, ends: "\r\n", encoding: "utf-16", mark: true },
  "Excel's separator line in UTF-16": {
    separator: ";",
    quotes: "all",
    ends: "\n",
    encoding: "utf-16",
    mark: true,
    first: "sep=;\n",
  },
  "Excel on a Mac, CSV": { separator: ",", quotes: /[,"\n]/, ends: "\r", encoding: "macintosh" },
  LibreOffice: { separator: ",", quotes: /[,"\n]/, ends: "\n", encoding: "utf-8" },
  "LibreOffice, all quoted": { separator: ";", quotes: "all", ends: "\n", encoding: "windows-1252" },
  DBeaver: { separator: ",", quotes: /^\d|^$|[,"\r\n]/, ends: "\r\n", encoding: "utf-8" },
  Adminer: { separator: "\t", quotes: /["\n,;\t]|^0|^$/, ends: "\r\n", encoding: "utf-8", mark: true },
  HeidiSQL: { separator: ";", quotes: "all", ends: "\r\n", encoding: "utf-8", mark: true },
  "MySQL Workbench": { separator: ",", quotes: /[ "\t\r\n,]/, ends: "\n", encoding: "utf-8" },
};
/** The bytes of letters outside ASCII. */
const LETTERS: Record<string, Record<string, number>> = {
  "windows-1252": { "\u00eb": 0xeb, "\u20ac": 0x80 },
  macintosh: { "\u00eb": 0x91, "\u20ac": 0xdb },
};

test.each(Object.entries(PROGRAMS))("reads a sheet of orders that %s writes", (_, program) => {
  const { text } = readTableText(bytesOf(program));
  const read = readMassLines(text);
  if (!read.ok) throw new Error(read.text);
  const isLost = program.encoding === "macintosh";
  expect(read.rows.filter(({ hasLostText }) => hasLostText).map(({ service }) => service)).toEqual(
    isLost ? ["2", "3"] : [],
  );
  const rows = read.rows.map(({ service, fields: { link = "", quantity = "", comments = "" } }) => [
    service,
    link,
    quantity,
    comments,
  ]);
  const expected = SHEET.slice(1).map((row) =>
    isLost ? row.map((cell) => cell.replaceAll(/[\u00eb\u20ac]/g, "\ufffd")) : row,
  );
  expect(rows).toEqual(expected);
});

function bytesOf({ separator, quotes, ends, encoding, first = "", mark = false }: Program): Buffer {
  const cell = (text: string) => (quotes === "all" || quotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const text = `${mark ? "\ufeff" : ""}${first}${SHEET.map((row) => row.map(cell).join(separator) + ends).join("")}`;
  const letters = LETTERS[encoding];
  if (letters) return Buffer.from([...text].map((letter) => letters[letter] ?? letter.charCodeAt(0)));
  return Buffer.from(text, encoding === "utf-16" ? "utf16le" : "utf8");
}
