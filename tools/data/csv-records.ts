/** How a quote inside a quoted cell is written: "" or \". phpMyAdmin has both. */
export type Quotes = "doubled" | "backslash";
export type CsvFormat = { delimiter: string; quotes: Quotes };

/** A record that is `broken` has a quote that may belong to the next lines too. */
type Fault = { why: string; broken: boolean };
/** `line` is where the record starts. An unquoted NULL or \N, MySQL's null, is an empty cell. */
export type CsvRecord = { line: number } & ({ cells: string[] } | Fault);

/**
 * Reads the records of a CSV text strictly: a quote stands only around a whole cell. After a record with a stray quote,
 * reading goes on at the next line, so that the quote swallows no other records. Skips empty lines.
 */
export function* csvRecords(text: string, format: CsvFormat): Generator<CsvRecord> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const start = at;
    const read = readRecord(text, at, format);
    at = "cells" in read ? read.end : endOfLine(text, at);
    const isEmpty = "cells" in read && text.slice(start, at).trim() === "";
    if (!isEmpty) yield "cells" in read ? { line, cells: read.cells } : { line, ...read };
    for (let next = text.indexOf("\n", start); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  }
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
