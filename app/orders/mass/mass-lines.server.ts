import { CsvError, type InfoRecord, parse } from "csv-parse/sync";
import { FORM_MAX_BYTES, type LargeForm } from "#app/http/requests/read-form.ts";
import { cellText } from "#app/http/responses/csv-line.ts";
import { ORDER_FIELD_NAMES, type OrderFieldName, type OrderFields } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";

export const MASS_MAX_LINES = 5000;
export const MASS_MAX_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = `This is more than ${MASS_MAX_BYTES / 1024 / 1024} MB. Split it into several mass orders.`;
/** A form encodes each byte other than a letter or digit as three: %7C for |. */
export const MASS_FORM_LIMIT: LargeForm = {
  encoding: "application/x-www-form-urlencoded",
  maxBytes: 3 * MASS_MAX_BYTES + FORM_MAX_BYTES,
  tooLarge: TOO_LARGE,
};

/** One line as typed. `line` counts from 1, as editors and spreadsheets do. */
export type MassRow = { line: number; service: string; fields: OrderFields; tooManyCells: boolean };

export type MassRows = { ok: true; rows: MassRow[]; ignoredColumns: string[] } | { ok: false; text: string };

const DELIMITERS = ["|", "\t", ";", ","] as const;
const MAX_RECORD_CHARACTERS = 250_000;

/** Other column names found in customers' files. */
const ALIASES: Record<string, Column> = {
  service_id: "service",
  serviceid: "service",
  id: "service",
  url: "link",
  qty: "quantity",
  amount: "quantity",
  count: "quantity",
};
type Column = "service" | OrderFieldName;
const COLUMNS: readonly string[] = ["service", ...ORDER_FIELD_NAMES];

/** Columns that only the product's own orders.csv has. There `service_id` is the service, and `service` its name. */
const EXPORT_MARKS = ["order", "placed_at", "service_id", "service"];

/**
 * Reads `service | link | quantity` lines, or a CSV with commas, semicolons or tabs. If the first line names columns,
 * they can be in any order, and any order field can be one of them.
 */
export function readMassLines(text: string): MassRows {
  if (text.length > MASS_MAX_BYTES) {
    return { ok: false, text: TOO_LARGE };
  }
  const records = readRecords(text, delimiterOf(text));
  if (!records.ok) return records;
  const [first] = records.records;
  if (!first) return { ok: false, text: "There are no lines. Enter one order per line: service | link | quantity" };
  const isExport = isOrderExport(first.cells);
  const named = first.cells.map((cell) => (isExport && cell === "service" ? null : columnOf(cell)));
  const hasHeader = named.includes("service") || (named.includes("link") && named.includes("quantity"));
  if (hasHeader && !named.includes("service")) {
    return { ok: false, text: "The first line names the columns, but “service” is missing." };
  }
  const twice = hasHeader ? firstTwice(named) : null;
  if (twice) {
    const [one, other] = twice.at.map((index) => `“${first.cells[index]}”`);
    const meaning = twice.column.replaceAll("_", " ");
    return { ok: false, text: `Columns ${one} and ${other} both mean the ${meaning}. Keep one.` };
  }
  const columns: (Column | null)[] = hasHeader ? named : ["service", "link", "quantity"];
  const lines = hasHeader ? records.records.slice(1) : records.records;
  if (lines.length === 0) return { ok: false, text: "There are column names but no orders below them." };
  if (lines.length > MASS_MAX_LINES) {
    const [found, max] = [lines.length, MASS_MAX_LINES].map((count) => count.toLocaleString("en-US"));
    return {
      ok: false,
      text: `There are ${found} lines. A mass order can have at most ${max}. Split it into several.`,
    };
  }
  return {
    ok: true,
    rows: lines.map(({ line, cells }) => rowOf(line, isExport ? cells.map(cellText) : cells, columns)),
    // The other columns of the export tell how an order went.
    ignoredColumns:
      hasHeader && !isExport ? first.cells.filter((cell, index) => named[index] === null && cell !== "") : [],
  };
}

function isOrderExport(header: string[]): boolean {
  return EXPORT_MARKS.every((name) => header.includes(name));
}

/** Returns the first column that is named twice, and where. Reading both would let one overwrite the other. */
function firstTwice(named: (Column | null)[]): { column: Column; at: [number, number] } | null {
  for (const [index, column] of named.entries()) {
    const earlier = named.indexOf(column);
    if (column !== null && earlier < index) return { column, at: [earlier, index] };
  }
  return null;
}

function rowOf(line: number, cells: string[], columns: (Column | null)[]): MassRow {
  const row: MassRow = { line, service: "", fields: {}, tooManyCells: false };
  for (const [index, cell] of cells.entries()) {
    if (cell === "") continue;
    const column = columns[index];
    if (column === "service") row.service = cell;
    else if (column) row.fields[column] = cell;
    else if (index >= columns.length) row.tooManyCells = true;
  }
  return row;
}

type Records = { ok: true; records: { line: number; cells: string[] }[] } | { ok: false; text: string };

function readRecords(text: string, delimiter: string): Records {
  try {
    const parsed = parse(text, {
      bom: true,
      delimiter,
      info: true,
      // Typed lines have no quoted cells, and a link may contain a quote.
      quote: delimiter === "|" ? null : '"',
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      trim: true,
      max_record_size: MAX_RECORD_CHARACTERS,
    }) as unknown as { info: InfoRecord; record: string[] }[];
    return {
      ok: true,
      records: parsed.map(({ info, record }) => ({ line: firstLine(info.lines, record), cells: record })),
    };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number(error.lines ?? 0);
    const where = line > 0 ? `Up to line ${line}: ` : "";
    return {
      ok: false,
      text:
        error.code === "CSV_QUOTE_NOT_CLOSED"
          ? `${where}a cell opens a quote that is never closed.`
          : `${where}these lines can't be read as a table.`,
    };
  }
}

/** Returns a record's first line. The parser reports its last, and a quoted cell may span several. */
function firstLine(endLine: number, cells: string[]): number {
  const inside = cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
  return endLine - inside;
}

function delimiterOf(text: string): string {
  const first = text.split(/\r\n|\r|\n/, 50).find((line) => line.trim() !== "") ?? "";
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: first.split(delimiter).length - 1 }));
  return counted.find(({ count }) => count > 0)?.delimiter ?? ",";
}

function columnOf(cell: string): Column | null {
  const name = cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  const alias = ownValue(ALIASES, name) ?? name;
  return COLUMNS.includes(alias) ? (alias as Column) : null;
}
