import { CsvError, type InfoRecord, parse } from "csv-parse/sync";
import { cutText } from "#app/cut-text.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { FORM_MAX_BYTES, type LargeForm } from "#app/http/requests/read-form.ts";
import { cellText } from "#app/http/responses/csv-line.ts";
import { SEPARATOR_NAMES, type Separator, withoutSeparatorLine } from "#app/http/table-text.ts";
import { trimUnseen } from "#app/orders/rules/links/link-text.ts";
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

/**
 * One line as typed. `line` counts from 1, as editors and spreadsheets do. `hasLostText`: bytes that were no text of a known
 * encoding became U+FFFD, so nobody knows what was meant.
 */
export type MassRow = {
  line: number;
  service: string;
  fields: OrderFields;
  tooManyCells: boolean;
  hasLostText: boolean;
};

/** `separator` is what stands between the cells, or null if each line is one. */
export type MassRows =
  | { ok: true; rows: MassRow[]; ignoredColumns: string[]; separator: Separator | null }
  | { ok: false; text: string };

const MAX_RECORD_CHARACTERS = 250_000;
/** Records with those whose cells are all empty, of which a spreadsheet may have some between others. */
export const MASS_MAX_RECORDS = 2 * MASS_MAX_LINES;
/** Cells with the empty ones: a hundred for each line. */
export const MASS_MAX_CELLS = 100 * MASS_MAX_LINES;
/** Cells of one record. The rest of a longer one is its last cell. */
const MAX_CELLS_OF_RECORD = 1000;

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
export function readMassLines(given: string): MassRows {
  if (given.length > MASS_MAX_BYTES) {
    return { ok: false, text: TOO_LARGE };
  }
  const { text, separator } = withoutSeparatorLine(given);
  const delimiter = separator ?? delimiterOf(text);
  const records = readRecords(text.slice(0, endOfCells(text, delimiter)), delimiter);
  if (!records.ok) return records;
  const [first] = records.records;
  if (!first) return { ok: false, text: "There are no lines. Enter one order per line: service | link | quantity" };
  const isExport = isOrderExport(first.cells);
  const named = first.cells.map((cell) => (isExport && cell === "service" ? null : columnOf(cell)));
  const isOne = first.cells.length === 1;
  const hasHeader = named.includes("service") || (named.includes("link") && (isOne || named.includes("quantity")));
  if (hasHeader && !named.includes("service")) {
    return { ok: false, text: "The first line names the columns, but “service” is missing." };
  }
  const twice = hasHeader ? firstTwice(named) : null;
  if (twice) {
    const [one, other] = twice.at.map((index) => `“${first.cells[index]}”`);
    const meaning = twice.column.replaceAll("_", " ");
    return { ok: false, text: `Columns ${one} and ${other} both mean the ${meaning}. Keep one.` };
  }
  const unnamed: Column[] = isOne && beginsWithLink(first.cells[0] ?? "") ? ["link"] : ["service", "link", "quantity"];
  const columns = hasHeader ? named : unnamed;
  const lines = hasHeader ? records.records.slice(1) : records.records;
  if (lines.length === 0) return { ok: false, text: "There are column names but no orders below them." };
  if (lines.length > MASS_MAX_LINES) return { ok: false, text: TOO_MANY.lines };
  return {
    ok: true,
    separator: records.records.some(({ cells }) => cells.length > 1) ? delimiter : null,
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
  const hasLostText = cells.some((cell) => cell.includes("\uFFFD"));
  const row: MassRow = { line, service: "", fields: {}, tooManyCells: false, hasLostText };
  for (const [index, cell] of cells.entries()) {
    if (cell === "") continue;
    const column = columns[index];
    if (column === "service") row.service = trimUnseen(cell);
    else if (column) row.fields[column] = cell;
    else if (index >= columns.length) row.tooManyCells = true;
  }
  return row;
}

type Records = { ok: true; records: { line: number; cells: string[] }[] } | { ok: false; text: string };

const TOO_MANY = {
  lines: `A mass order can have at most ${MASS_MAX_LINES.toLocaleString("en-US")} lines. Split it into several.`,
  records: "There are too many empty lines. Delete them.",
  cells: "There are too many cells. Delete the columns that no order needs, or split it into several mass orders.",
};

/** Ends the parser, which would otherwise read all of a text that is refused for its length. */
class TooMany extends Error {
  readonly what: keyof typeof TOO_MANY;
  constructor(what: keyof typeof TOO_MANY) {
    super(`too many ${what}`);
    this.what = what;
  }
}

function readRecords(text: string, delimiter: string): Records {
  const records: { line: number; cells: string[] }[] = [];
  let read = 0;
  let cellsRead = 0;
  const add = (cells: string[], { lines }: InfoRecord): null => {
    cellsRead += cells.length;
    if (++read > MASS_MAX_RECORDS) throw new TooMany("records");
    if (cellsRead > MASS_MAX_CELLS) throw new TooMany("cells");
    // The last cell of a longer record is what is left of its text.
    const rest = cells[MAX_CELLS_OF_RECORD - 1];
    if (rest && endOfCells(rest, delimiter) === 0) cells[MAX_CELLS_OF_RECORD - 1] = "";
    if (cells.every((cell) => cell === "")) return null;
    records.push({ line: lines - lineBreaksIn(cells), cells });
    // One more for the names of the columns.
    if (records.length > MASS_MAX_LINES + 1) throw new TooMany("lines");
    return null;
  };
  try {
    parse(text, {
      bom: true,
      delimiter,
      ignore_last_delimiters: MAX_CELLS_OF_RECORD,
      on_record: add,
      // Typed lines have no quoted cells, and a link may contain a quote.
      quote: delimiter === "|" ? null : '"',
      relax_column_count: true,
      relax_quotes: true,
      // Costs next to nothing for a line. A record of empty cells costs what others do.
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_RECORD_CHARACTERS,
    });
    return { ok: true, records };
  } catch (error) {
    if (error instanceof TooMany) return { ok: false, text: TOO_MANY[error.what] };
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

/** Returns how many lines a record has besides its first. The parser counts up to its last, and quoted cells may hold some. */
function lineBreaksIn(cells: string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = 0; at < cell.length; at++) {
      if (cell[at] === "\n" || (cell[at] === "\r" && cell[at + 1] !== "\n")) count++;
    }
  }
  return count;
}

/** Returns where the text ends without the empty cells and lines that spreadsheets write below the last row. */
function endOfCells(text: string, delimiter: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === delimiter || /\s/.test(text[end - 1] ?? ""))) end--;
  return end;
}

/**
 * Returns the delimiter of a text: the one that makes its first line names of columns or a service ID and more, because a
 * link may hold the others. Links alone are not split.
 */
function delimiterOf(text: string): Separator {
  const first =
    cutText(text, MAX_RECORD_CHARACTERS)
      .split(/\r\n|\r|\n/, 50)
      .find((line) => line.trim() !== "") ?? "";
  const found = (Object.keys(SEPARATOR_NAMES) as Separator[]).filter((delimiter) => first.includes(delimiter));
  const firstCells = (delimiter: string) => first.split(delimiter, MAX_CELLS_OF_RECORD).map(unquoted);
  const naming = found.find((delimiter) => firstCells(delimiter).some((cell) => columnOf(cell) === "service"));
  const ordering = found.find((delimiter) => parseWrittenId(firstCells(delimiter)[0] ?? "") !== null);
  const isLink = beginsWithLink(first) && !first.includes("|");
  return naming ?? ordering ?? (isLink ? "\t" : found[0]) ?? ",";
}

function unquoted(cell: string): string {
  return trimUnseen(cell).replace(/^"([^"]*)"$/, "$1");
}

function beginsWithLink(text: string): boolean {
  return /^"?https?:\/\//i.test(trimUnseen(text));
}

function columnOf(cell: string): Column | null {
  const name = trimUnseen(cell)
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  const alias = ownValue(ALIASES, name) ?? name;
  return COLUMNS.includes(alias) ? (alias as Column) : null;
}
