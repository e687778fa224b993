import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { type CsvFormat, type CsvRecord, csvRecords, delimiterOf, type Quotes } from "./csv-records.ts";

/**
 * A row of the export. `line` is the line in a CSV file or the number in a JSON file. A row that is `broken` ends early
 * or has a stray quote: what follows may not be a row of the table, but a part of somebody's name.
 */
export type ExportRow = { line: number } & ({ columns: Record<string, string> } | { why: string; broken: boolean });

const NOT_UTF8 = "not UTF-8 text";
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const row = z.record(z.string(), cell);
const list = z.array(z.unknown());
/** phpMyAdmin writes a list of parts; tables hold their rows in `data`. */
const phpMyAdminParts = z.array(z.object({ type: z.string() }).loose());
const phpMyAdminTable = z.object({ type: z.literal("table"), data: list });

/**
 * Reads a CSV file, JSON (a list of objects or phpMyAdmin's export) or JSON lines, as UTF-8. Throws if the file as a
 * whole can't be read for certain. `quotes` overrides how quotes are written inside quotes.
 */
export function readExport(file: string, quotes?: Quotes): ExportRow[] {
  const bytes = readFileSync(file);
  const [one, two] = bytes;
  if ((one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff) || bytes.subarray(0, 1000).includes(0)) {
    throw new Error(`the file is UTF-16. Convert it first: iconv -f UTF-16 -t UTF-8 ${file} > converted`);
  }
  const content = bytes.subarray(one === 0xef && two === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  return /\.(json|jsonl|ndjson)$/i.test(file) ? readJson(content) : readCsv(content, quotes);
}

/** Returns how to convert a file with a row that is not UTF-8, or null. */
export function encodingHint(rows: ExportRow[], file: string): string | null {
  const isMixed = rows.some((row) => "why" in row && row.why === NOT_UTF8);
  return isMixed ? `Convert the file to UTF-8, for example: iconv -f WINDOWS-1252 -t UTF-8 ${file} > converted` : null;
}

function readCsv(bytes: Buffer, quotes?: Quotes): ExportRow[] {
  // One character for each byte: commas, quotes and line ends are the same in every encoding that is left.
  const text = bytes.toString("latin1");
  const delimiter = delimiterOf(text);
  const format = { delimiter, quotes: quotes ?? quotesIn(text, delimiter) };
  const records = csvRecords(text, format);
  const { value: header } = records.next();
  if (!header) return [];
  if (!("cells" in header)) throw new Error(`line ${header.line}, the header: ${header.why}`);
  const names = namesIn(header.cells);
  const rows = [...records].map((record) => ({ ...toRow(record, names), isShort: isShort(record, names) }));
  return rows.map(({ isShort: _, ...row }, at) => {
    const next = rows[at + 1];
    // The short row may be the rest of this one's last cell.
    if (!("columns" in row && next?.isShort)) return row;
    return { line: row.line, why: `may go on at line ${next.line}, which is not a whole row`, broken: true };
  });
}

function isShort(record: CsvRecord, names: string[]): boolean {
  return "cells" in record && record.cells.length < names.length;
}

function namesIn(cells: string[]): string[] {
  const names = cells.map((name) => decode(name)?.trim().toLowerCase() ?? "");
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

/** Returns the only way of writing quotes in which the file is whole. Throws if both or neither are, and they differ. */
function quotesIn(text: string, delimiter: string): Quotes {
  const doubled = survey(text, { delimiter, quotes: "doubled" });
  const backslash = survey(text, { delimiter, quotes: "backslash" });
  if (doubled.digest === backslash.digest) return "doubled";
  if (doubled.isWhole !== backslash.isWhole) return doubled.isWhole ? "doubled" : "backslash";
  throw new Error(
    'quotes inside quotes can be read in two ways. Add --quotes doubled for "" or --quotes backslash for \\"',
  );
}

function survey(text: string, format: CsvFormat): { isWhole: boolean; digest: string } {
  const hash = createHash("sha256");
  let isWhole = true;
  let count: number | undefined;
  for (const record of csvRecords(text, format)) {
    hash.update(JSON.stringify(record));
    if ("cells" in record) count ??= record.cells.length;
    isWhole &&= "cells" in record && record.cells.length === count;
  }
  return { isWhole, digest: hash.digest("hex") };
}

function readJson(bytes: Buffer): ExportRow[] {
  const isList = bytes.toString("latin1").trimStart().startsWith("[");
  if (!isList) return readJsonLines(bytes);
  const text = decode(bytes.toString("latin1"));
  if (text === null) throw new Error("the file is not UTF-8. Convert it first: iconv -f WINDOWS-1252 -t UTF-8");
  return rowsOf(JSON.parse(text)).map((found, at) => fromJson(found, at + 1));
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
      return [{ line: at + 1, why: "not JSON", broken: false }];
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
  if (second) throw new Error("the file holds more than one table: export the users table alone");
  return table ? table.data : list.parse(parsed);
}

/** Returns the text of UTF-8 bytes, given one character for each, or null for other bytes. */
function decode(latin1: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    return null;
  }
}
