import { ownValue } from "#app/own-value.ts";
/** A row of the sheet. It is replaced, not changed, when a cell is typed into. */
export type SheetRow = { id: number; cells: Record<string, string> };

/** Each change of the rows can be undone. Typing in one cell is one change. */
export type Sheet = {
  rows: SheetRow[];
  past: SheetRow[][];
  future: SheetRow[][];
  typingIn: string | null;
  /** The id of the next new row. */
  nextId: number;
};

export type SheetChange =
  | { kind: "type"; id: number; column: string; text: string }
  /** Puts rows where the row `at` is: in its place if it is blank, otherwise below it. At the end without `at`. */
  | { kind: "insert"; at: number | null; lines: Record<string, string>[] }
  /** Writes a block of cells, from one cell to the right and down. */
  | { kind: "fill"; at: number; columns: string[]; block: string[][] }
  | { kind: "delete"; ids: ReadonlySet<number> }
  | { kind: "add" }
  | { kind: "clear" }
  | { kind: "load"; lines: Record<string, string>[] }
  | { kind: "undo" }
  | { kind: "redo" };

export const BASE_COLUMNS = ["service", "link", "quantity"];
const BLANK_ROWS = 3;
const MAX_UNDO = 100;

type NewRow = (cells?: Record<string, string>) => SheetRow;

/** Counts ids from `first` on. The server and the browser have to give the same rows the same ids. */
function rowsFrom(first: number): { newRow: NewRow; nextId: () => number } {
  let id = first;
  return { newRow: (cells = {}) => ({ id: id++, cells }), nextId: () => id };
}

function withBlankRows(rows: SheetRow[], newRow: NewRow): SheetRow[] {
  return rows.length > 0 ? rows : Array.from({ length: BLANK_ROWS }, () => newRow());
}

export function newSheet(lines: Record<string, string>[]): Sheet {
  const { newRow, nextId } = rowsFrom(1);
  const rows = withBlankRows(
    lines.map((cells) => newRow(cells)),
    newRow,
  );
  return { rows, past: [], future: [], typingIn: null, nextId: nextId() };
}

export function changeSheet(sheet: Sheet, change: SheetChange): Sheet {
  const { rows, past, future } = sheet;
  const { newRow, nextId } = rowsFrom(sheet.nextId);
  const changed = (next: SheetRow[]): Sheet => ({
    rows: next,
    past: [...past, rows].slice(-MAX_UNDO),
    future: [],
    typingIn: null,
    nextId: nextId(),
  });
  switch (change.kind) {
    case "type": {
      const { id, column, text } = change;
      const typingIn = `${id} ${column}`;
      const next = rows.map((row) => (row.id === id ? { id, cells: { ...row.cells, [column]: text } } : row));
      if (sheet.typingIn === typingIn) return { ...sheet, rows: next, future: [] };
      return { ...changed(next), typingIn };
    }
    case "insert":
      return changed(
        inserted(
          rows,
          change.at,
          change.lines.map((cells) => newRow(cells)),
        ),
      );
    case "fill":
      return changed(filled(rows, change, newRow));
    case "delete":
      return changed(
        withBlankRows(
          rows.filter(({ id }) => !change.ids.has(id)),
          newRow,
        ),
      );
    case "add":
      return changed([...rows, newRow()]);
    case "clear":
      return changed(withBlankRows([], newRow));
    case "load":
      return newSheet(change.lines);
    case "undo": {
      const before = past.at(-1);
      return before
        ? { ...sheet, rows: before, past: past.slice(0, -1), future: [rows, ...future], typingIn: null }
        : sheet;
    }
    case "redo": {
      const [after, ...rest] = future;
      return after ? { ...sheet, rows: after, past: [...past, rows], future: rest, typingIn: null } : sheet;
    }
    default:
      return change satisfies never;
  }
}

function inserted(rows: SheetRow[], at: number | null, added: SheetRow[]): SheetRow[] {
  const index = rows.findIndex(({ id }) => id === at);
  const place = rows[index];
  if (!place) return [...rows.filter((row) => !isBlank(row)), ...added];
  const before = rows.slice(0, isBlank(place) ? index : index + 1);
  // Blank rows below were waiting for these.
  const below = rows.slice(index + 1);
  const firstFilled = below.findIndex((row) => !isBlank(row));
  return [...before, ...added, ...(firstFilled < 0 ? [] : below)];
}

function filled(rows: SheetRow[], { at, columns, block }: SheetChange & { kind: "fill" }, newRow: NewRow): SheetRow[] {
  const index = rows.findIndex(({ id }) => id === at);
  const next = [...rows];
  for (const [down, texts] of block.entries()) {
    const row = next[index + down] ?? newRow();
    const cells = texts.slice(0, columns.length).map((text, right) => [columns[right] ?? "", text]);
    next[index + down] = { id: row.id, cells: { ...row.cells, ...Object.fromEntries(cells) } };
  }
  return next;
}

export function isBlank({ cells }: SheetRow): boolean {
  return Object.values(cells).every((text) => text.trim() === "");
}

const texts = new WeakMap<SheetRow, string>();

/** Returns what a row says, which is what it is checked by. "" for a blank row. */
export function textOf(row: SheetRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const filled = Object.entries(row.cells).filter(([, text]) => text.trim() !== "");
  const text = filled.length === 0 ? "" : JSON.stringify(filled.sort(([one], [other]) => (one < other ? -1 : 1)));
  texts.set(row, text);
  return text;
}

/** Returns the rows that say something, as the CSV that the server reads. */
export function csvOf(rows: SheetRow[]): string {
  const filled = rows.filter((row) => !isBlank(row));
  const columns = [...new Set([...BASE_COLUMNS, ...filled.flatMap(({ cells }) => Object.keys(cells))])];
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = filled.map(({ cells }) =>
    columns.map((column) => quoted((ownValue(cells, column) ?? "").trim())).join(","),
  );
  return [columns.join(","), ...lines].join("\n");
}

/** Splits a block of cells as spreadsheets put it on the clipboard: tabs between cells, quotes around line breaks. */
export function clipboardCells(text: string): string[][] {
  const rows = [[""]];
  let isQuoted = false;
  const append = (part: string) => {
    const row = rows.at(-1) ?? [];
    row[row.length - 1] += part;
  };
  for (const [token] of text
    .replace(/\r\n?/g, "\n")
    .replace(/\n$/, "")
    .matchAll(/""|["\t\n]|[^"\t\n]+/g)) {
    const isCellStart = rows.at(-1)?.at(-1) === "";
    if (token === '"' && (isQuoted || isCellStart)) isQuoted = !isQuoted;
    else if (token === '""' && isQuoted) append('"');
    else if (token === '""' && isCellStart) continue;
    else if (token === "\t" && !isQuoted) rows.at(-1)?.push("");
    else if (token === "\n" && !isQuoted) rows.push([""]);
    else append(token);
  }
  return rows;
}

/** Returns whether a pasted text is whole lines, which the server reads, rather than cells of one column. */
export function isWholeLines(text: string, column: string): boolean {
  const first = text.trimStart().split("\n", 1)[0] ?? "";
  if (first.includes("|")) return true;
  return column === "service" && /[\t,;]/.test(first);
}
