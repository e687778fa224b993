import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasMacLines, readTableText, withoutSeparatorLine } from "#app/http/table-text.ts";
import { type CsvRecord, csvRecords, delimiterOf, type Quotes } from "./csv-records.ts";
import { dialectOf, dialectText } from "./export-dialect.ts";
import { refuseUnreadable } from "./unreadable-exports.ts";

/**
 * A row of the export. `line` is the line in a CSV file or the number in a JSON file. A row that is `broken` ends early
 * or has a stray quote: what follows may not be a row of the table, but a part of somebody's name.
 */
export type ExportRow = { line: number } & ({ columns: Record<string, string> } | { why: string; broken: boolean });

const NOT_UTF8 = "not UTF-8 text";
const NOT_JSON = "not JSON";
const TWO_TABLES = "the file holds more than one table: export the users table alone";
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const row = z.record(z.string(), cell);
const list = z.array(z.unknown());
const members = z.record(z.string(), z.unknown());
/** phpMyAdmin writes a list of parts; tables hold their rows in `data`. */
const phpMyAdminParts = z.array(z.object({ type: z.string() }).loose());
const phpMyAdminTable = z.object({ type: z.literal("table"), data: list });

/** `quotes` overrides how quotes are written, `encoding` is a label such as "iso-8859-2". */
export type ExportOptions = { quotes?: Quotes | undefined; encoding?: string | undefined };
/** `readAs` says what was recognized; what may be wrong in it is for a person to check. */
export type Export = { rows: ExportRow[]; readAs: string };

/**
 * Reads a CSV file, what the clients and servers of MariaDB and MySQL write, JSON (a list of objects or phpMyAdmin's export)
 * or JSON lines. Throws if the file as a whole can't be read for certain.
 */
export function readExport(file: string, { quotes, encoding }: ExportOptions = {}): Export {
  const bytes = readFileSync(file);
  refuseUnreadable(withoutMark(bytes));
  const { content, encodingName } = readBytes(bytes, file, encoding);
  if (encodingName !== "UTF-8") refuseUnreadable(content);
  if (!/\.(json|jsonl|ndjson)$/i.test(file)) return readCsv(content, encodingName, quotes);
  return { rows: readJson(content), readAs: `Read as JSON in ${encodingName}.` };
}

/** Returns a file in UTF-8. Where its encoding can't be told, rows that are not UTF-8 stay as they are. */
function readBytes(bytes: Buffer, file: string, label: string | undefined): { content: Buffer; encodingName: string } {
  if (label !== undefined) return { content: Buffer.from(decodeAs(label, bytes)), encodingName: label };
  const hasNull = bytes.subarray(0, 1000).includes(0);
  if (isUtf8(bytes) && !hasNull) return { content: withoutMark(bytes), encodingName: "UTF-8" };
  const { text, encoding } = readTableText(bytes);
  if (encoding !== "UTF-16" && hasNull) {
    throw new Error(`the file is UTF-16. Convert it first: iconv -f UTF-16 -t UTF-8 ${file} > converted`);
  }
  if (encoding === null || encoding === "UTF-8") return { content: withoutMark(bytes), encodingName: "UTF-8" };
  return { content: Buffer.from(text), encodingName: encoding };
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.subarray(0, 3).equals(Buffer.from("\ufeff")) ? 3 : 0);
}

function decodeAs(label: string, bytes: Buffer): string {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch (error) {
    const isUnknown = error instanceof RangeError;
    throw new Error(isUnknown ? `--encoding doesn't know "${label}"` : `the file is not ${label} text`);
  }
}

/** Returns how to read a file with a row that is not UTF-8, or null. */
export function encodingHint(rows: ExportRow[]): string | null {
  const isMixed = rows.some((row) => "why" in row && row.why === NOT_UTF8);
  return isMixed
    ? "Say which encoding the file has, such as --encoding windows-1250, or macintosh for Excel on a Mac, or export it as UTF-8."
    : null;
}

function readCsv(bytes: Buffer, encodingName: string, quotes?: Quotes): Export {
  // One character for each byte: commas, quotes and line ends are the same in every encoding that is left.
  const { text: written, separator } = withoutSeparatorLine(bytes.toString("latin1"));
  const isOfMac = hasMacLines(written);
  const text = isOfMac ? withLineEndsSwapped(written) : written;
  const format = dialectOf(text, separator ?? delimiterOf(text.trimStart()), quotes);
  const readAs = `Read as ${encodingName} with ${dialectText(format)}.`;
  const records = csvRecords(text, format);
  const { value: header } = records.next();
  if (!header) return { rows: [], readAs };
  if (!("cells" in header)) throw new Error(`line ${header.line}, the header: ${header.why}`);
  const names = namesIn(header.cells);
  const asWritten = (record: CsvRecord) =>
    isOfMac && "cells" in record ? { ...record, cells: record.cells.map(withLineEndsSwapped) } : record;
  const rows = [...records].map((record) => ({
    ...toRow(asWritten(record), names),
    isShort: isShort(record, names),
  }));
  const judged = rows.map(({ isShort: _, ...row }, at): ExportRow => {
    const next = rows[at + 1];
    // The short row may be the rest of this one's last cell.
    if (!("columns" in row && next?.isShort)) return row;
    return { line: row.line, why: `may go on at line ${next.line}, which is not a whole row`, broken: true };
  });
  return { rows: judged, readAs };
}

/** Makes the lines of a Mac those of other systems, and the other way around. Line feeds in their cells stay apart from them. */
function withLineEndsSwapped(text: string): string {
  return text.replaceAll(/[\r\n]/g, (end) => (end === "\r" ? "\n" : "\r"));
}

const NO_NAMES =
  "the first line is a row, not the names of the columns. Export them too, or put them above it: id, email, password and so on";

function isShort(record: CsvRecord, names: string[]): boolean {
  return "cells" in record && record.cells.length < names.length;
}

function namesIn(cells: string[]): string[] {
  const names = cells.map((name) => decode(name)?.trim().toLowerCase() ?? "");
  // Neither an address nor a hash names a column. Reading on would lose this row.
  if (names.some((name) => /@|^\$2[aby]\$/.test(name))) throw new Error(NO_NAMES);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`the header names the column "${twice}" twice`);
  return names;
}

function toRow(record: CsvRecord, names: string[]): ExportRow {
  const { line } = record;
  if ("why" in record) return record;
  const { length } = record.cells;
  if (length !== names.length) {
    return { line, why: `${length} cells instead of ${names.length}`, broken: isShort(record, names) };
  }
  const cells = record.cells.map(decode);
  if (cells.includes(null)) return { line, why: NOT_UTF8, broken: false };
  return { line, columns: Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])) };
}

function readJson(bytes: Buffer): ExportRow[] {
  const start = bytes.subarray(0, 1000).toString("latin1").trimStart();
  const text = decode(bytes.toString("latin1"));
  if (start.startsWith("{")) {
    const whole = text === null ? null : wholeObject(text);
    if (whole === null) return linesOfJson(bytes);
    return rowsOf(whole).map((found, at) => fromJson(found, at + 1));
  }
  if (!start.startsWith("[")) return readJsonLines(bytes);
  if (text === null) throw new Error("the file is not UTF-8. Convert it first: iconv -f WINDOWS-1252 -t UTF-8");
  return rowsOf(parseJson(text)).map((found, at) => fromJson(found, at + 1));
}

function linesOfJson(bytes: Buffer): ExportRow[] {
  const rows = readJsonLines(bytes);
  const isNone = rows.every((found) => "why" in found && found.why === NOT_JSON);
  if (isNone) throw new Error("the file is not whole JSON. Export it again, it may have been cut");
  return rows;
}

/** Returns the object that a text is, or null where it is JSON lines: those are more than one. */
function wholeObject(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Parses JSON. Adminer's has tabs in texts, which JSON doesn't allow. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const escaped = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, (found) => found.replaceAll("\t", "\\t"));
    if (escaped === text) throw error;
    return JSON.parse(escaped);
  }
}

function readJsonLines(bytes: Buffer): ExportRow[] {
  const lines = bytes.toString("latin1").split("\n");
  return lines.flatMap((line, at): ExportRow[] => {
    if (line.trim() === "") return [];
    const text = decode(line);
    if (text === null) return [{ line: at + 1, why: NOT_UTF8, broken: false }];
    try {
      return [fromJson(JSON.parse(text), at + 1)];
    } catch {
      return [{ line: at + 1, why: NOT_JSON, broken: false }];
    }
  });
}

function fromJson(found: unknown, line: number): ExportRow {
  const parsed = row.safeParse(found);
  if (!parsed.success) return { line, why: "not an object of texts and numbers", broken: false };
  const columns = Object.entries(parsed.data).map(
    ([name, value]) => [name.toLowerCase(), String(value ?? "")] as const,
  );
  const twice = columns.find(([name], at) => columns.findIndex(([other]) => other === name) !== at);
  if (twice) return { line, why: `names the column "${twice[0]}" twice`, broken: false };
  return { line, columns: Object.fromEntries(columns) };
}

function rowsOf(parsed: unknown): unknown[] {
  const parts = phpMyAdminParts.safeParse(parsed);
  const tables = parts.success ? parts.data.flatMap((part) => phpMyAdminTable.safeParse(part).data ?? []) : [];
  const [table, second] = tables;
  if (second) throw new Error(TWO_TABLES);
  return table ? table.data : rowsInside(parsed);
}

/** Returns the rows of a list, of an object with one list, as Adminer, DBeaver and HeidiSQL write a table, or of a row alone. */
function rowsInside(parsed: unknown): unknown[] {
  const object = members.safeParse(parsed).data;
  if (object === undefined) return list.parse(parsed);
  const [rows, second] = Object.values(object).filter((member) => Array.isArray(member));
  if (second) throw new Error(TWO_TABLES);
  return rows ?? [object];
}

/** Returns the text of UTF-8 bytes, given one character for each, or null for other bytes. */
function decode(latin1: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    return null;
  }
}
