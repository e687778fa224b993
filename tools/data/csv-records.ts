/**
 * How a quote is written. In quoted cells: "" (`doubled`) or \" (`backslash`); phpMyAdmin has both. Or cells are never
 * quoted, and a quote is text: with `escapes`, \t, \n and \\ stand for what ends a cell; with `none`, nothing does.
 */
export const QUOTES = ["doubled", "backslash", "escapes", "none"] as const;
export type Quotes = (typeof QUOTES)[number];
/** `isNullText`: an unquoted NULL is text, because the file writes \N for a missing value. */
export type CsvFormat = { delimiter: string; quotes: Quotes; isNullText?: boolean };

/** A record that is `broken` has a quote that may belong to the next lines too. */
type Fault = { why: string; broken: boolean };
/** `line` is where the record starts. An unquoted NULL or \N, MySQL's null, is an empty cell. See `isNullText`. */
export type CsvRecord = { line: number } & ({ cells: string[] } | Fault);

/**
 * Reads the records of a CSV text strictly: a quote stands only around a whole cell, and no line inside it looks like a
 * row. After a record with a stray quote, reading goes on at the next line, so that the quote swallows no other records.
 * Skips empty lines.
 */
export function* csvRecords(text: string, format: CsvFormat): Generator<CsvRecord> {
  let line = 1;
  let at = 0;
  let width: number | undefined;
  while (at < text.length) {
    const start = at;
    const read = readRecord(text, at, format);
    at = "cells" in read ? read.end : endOfLine(text, at);
    const record = text.slice(start, at);
    if (!("cells" in read)) yield { line, ...read };
    else if (record.trim() !== "") {
      width ??= read.cells.length;
      const held = rowInside(record, format, width);
      // Not read again from there: it may also be the text of a cell.
      if (held === null || !isQuoting(format)) yield { line, cells: read.cells };
      else yield { line, why: `a quote may hold the row at line ${line + held}`, broken: true };
    }
    for (let next = text.indexOf("\n", start); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  }
}

/**
 * Returns how many lines below its first one a record has a line that may be a user's row: it has enough delimiters and
 * an email address. Null if it has none. Two stray quotes, in the names of two rows, would otherwise give the first one
 * the cells of the second, and lose the rows between them.
 */
function rowInside(record: string, { delimiter }: CsvFormat, width: number): number | null {
  const lines = record.replace(/\r?\n$/, "").split("\n");
  const found = lines.findIndex((line, at) => at > 0 && line.includes("@") && line.split(delimiter).length >= width);
  return found < 0 ? null : found;
}

/** Returns whether cells may be quoted. */
export function isQuoting({ quotes }: CsvFormat): boolean {
  return quotes === "doubled" || quotes === "backslash";
}

const DELIMITERS = [",", ";", "\t", "|"];

/** Returns the delimiter of the header line. Throws if it has several. */
export function delimiterOf(text: string): string {
  const header = text.slice(0, endOfLine(text, 0)).replaceAll(/"[^"]*"/g, "");
  const found = DELIMITERS.filter((delimiter) => header.includes(delimiter));
  if (found.length > 1) throw new Error("the header line has more than one of comma, semicolon, tab and |");
  return found[0] ?? ",";
}

function readRecord(text: string, from: number, format: CsvFormat): { cells: string[]; end: number } | Fault {
  const cells: string[] = [];
  let at = from;
  for (;;) {
    const isQuoted = text[at] === '"' && isQuoting(format);
    const cell = isQuoted ? readQuoted(text, at + 1, format) : readUnquoted(text, at, format);
    if ("why" in cell) return cell;
    cells.push(cell.text);
    if (text[cell.end] === format.delimiter) {
      at = cell.end + 1;
      continue;
    }
    const rest = /\r?\n|\r?$/y;
    rest.lastIndex = cell.end;
    const end = rest.exec(text);
    if (!end) return { why: "a quote ends in the middle of a cell", broken: true };
    return { cells, end: cell.end + end[0].length };
  }
}

type Cell = { text: string; end: number } | Fault;

function readUnquoted(text: string, from: number, format: CsvFormat): Cell {
  const { delimiter, quotes } = format;
  let cell = "";
  /** Where the text begins that is not in `cell` yet. */
  let kept = from;
  let end = from;
  const isNullMark = text.startsWith("\\N", from) && isEndOfCell(text, from + 2, delimiter);
  if (isNullMark) end += 2;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") {
    const character = text[end];
    if (character === '"' && isQuoting(format)) return { why: "a quote stands in the middle of a cell", broken: false };
    if (character !== "\\" || quotes === "doubled" || quotes === "none") {
      end++;
      continue;
    }
    const escaped = escapedBy(text[end + 1] ?? "", format);
    if (escaped === null && quotes === "escapes") return { why: "a backslash that escapes nothing", broken: false };
    if (escaped !== null) {
      cell += text.slice(kept, end) + escaped;
      kept = end + 2;
    }
    end += escaped === null ? 1 : 2;
  }
  if (text[end - 1] === "\r" && end > kept && text[end] !== delimiter) end--;
  cell += text.slice(kept, end);
  const isNull = isNullMark || (text.slice(from, end) === "NULL" && !format.isNullText);
  return { text: isNull ? "" : cell, end };
}

/** Returns whether a cell ends at an index: at the delimiter, at the end of its line or of the text. */
export function isEndOfCell(text: string, at: number, delimiter: string): boolean {
  const next = text[at];
  return next === undefined || next === delimiter || next === "\n" || next === "\r";
}

const ESCAPED = new Map([
  ["t", "\t"],
  ["n", "\n"],
  ["r", "\r"],
  ["0", "\0"],
]);

/** Returns what a backslash and the character after it stand for, or null if the backslash is text. */
export function escapedBy(character: string, { delimiter, quotes }: CsvFormat): string | null {
  if (character === "\\" || (quotes === "backslash" && character === '"')) return character;
  if (quotes === "backslash") return null;
  if (character === delimiter || character === "\n") return character;
  return ESCAPED.get(character) ?? null;
}

function readQuoted(text: string, from: number, { quotes }: CsvFormat): Cell {
  const mark = quotes === "backslash" ? "\\" : '"';
  let cell = "";
  for (let at = from; ; ) {
    const character = text[at];
    const next = text[at + 1];
    if (character === undefined) return { why: "a quote is never closed", broken: true };
    const isLineEscaped = next === "\n" || next === "\r";
    // The server of MariaDB and MySQL writes a backslash before a line break, too.
    if (character === mark && (next === '"' || (quotes === "backslash" && (next === "\\" || isLineEscaped)))) {
      cell += next;
      at += 2;
    } else if (character === '"') {
      return { text: cell, end: at + 1 };
    } else {
      cell += character;
      at++;
    }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end + 1;
}
