/** How a quote inside a quoted cell is written: "" or \". phpMyAdmin has both. */
export type Quotes = "doubled" | "backslash";
export type CsvFormat = { delimiter: string; quotes: Quotes };

/** A record that is `broken` has a quote that may belong to the next lines too. */
type Fault = { why: string; broken: boolean };
/** `line` is where the record starts. An unquoted NULL or \N, MySQL's null, is an empty cell. */
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
      if (held === null) yield { line, cells: read.cells };
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

/** Returns the delimiter of the header line. Throws if it has several. */
export function delimiterOf(text: string): string {
  const header = text.slice(0, endOfLine(text, 0)).replaceAll(/"[^"]*"/g, "");
  const found = [",", ";", "\t"].filter((delimiter) => header.includes(delimiter));
  if (found.length > 1) throw new Error("the header line has more than one of comma, semicolon and tab");
  return found[0] ?? ",";
}

function readRecord(text: string, from: number, format: CsvFormat): { cells: string[]; end: number } | Fault {
  const cells: string[] = [];
  let at = from;
  for (;;) {
    const cell = text[at] === '"' ? readQuoted(text, at + 1, format) : readUnquoted(text, at, format);
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

function readUnquoted(text: string, from: number, { delimiter }: CsvFormat): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") {
    if (text[end] === '"') return { why: "a quote stands in the middle of a cell", broken: false };
    end++;
  }
  if (text[end - 1] === "\r" && end > from && text[end] !== delimiter) end--;
  const cell = text.slice(from, end);
  return { text: cell === "NULL" || cell === "\\N" ? "" : cell, end };
}

function readQuoted(text: string, from: number, { quotes }: CsvFormat): Cell {
  const mark = quotes === "backslash" ? "\\" : '"';
  let cell = "";
  for (let at = from; ; ) {
    const character = text[at];
    const next = text[at + 1];
    if (character === undefined) return { why: "a quote is never closed", broken: true };
    if (character === mark && (next === '"' || (next === "\\" && quotes === "backslash"))) {
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
