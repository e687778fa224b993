import { type ListCursor, type ListPage, parseCursor } from "#app/http/lists/list-query.ts";
import { csvLine } from "./csv-line.ts";

/** Maximum number of rows that `read` returns. Fewer mean the end of the table. */
export const CSV_ROWS_PER_READ = 1000;
/** A list's rows are few columns, and each read of a request counts toward the platform's limit of 1,000. */
export const LIST_ROWS_PER_READ = 2500;
/** Without it, spreadsheets read the text as Windows-1252. */
const BYTE_ORDER_MARK = "\ufeff";

type Cell = string | number;
type Row = { id: number; cells: Cell[] };

/** Streams a table as CSV. `read` returns the rows whose id is above `after`, by id. */
export function streamCsv(head: string[], read: (after: number) => Promise<Row[]>): ReadableStream<Uint8Array> {
  let after = 0;
  return streamLines(head, async () => {
    const rows = await read(after);
    after = rows.at(-1)?.id ?? after;
    return { lines: rows.map(({ cells }) => cells), isLast: rows.length < CSV_ROWS_PER_READ };
  });
}

/** The columns of an exported list: each one's name, and its cell of a row. */
export type CsvColumns<Row> = Record<string, (row: Row) => Cell>;

/** Streams a list as CSV, in its order. `read` returns the page after the cursor, of at most `limit` rows. */
export function streamListCsv<Row>(
  columns: CsvColumns<Row>,
  read: (after: ListCursor | null, limit: number) => Promise<ListPage<Row>>,
): ReadableStream<Uint8Array> {
  const cells = Object.values(columns);
  let after: ListCursor | null = null;
  return streamLines(Object.keys(columns), async () => {
    const { rows, next } = await read(after, LIST_ROWS_PER_READ);
    after = parseCursor(next);
    return { lines: rows.map((row) => cells.map((cell) => cell(row))), isLast: after === null };
  });
}

function streamLines(
  head: string[],
  read: () => Promise<{ lines: Cell[][]; isLast: boolean }>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let hasStarted = false;
  return new ReadableStream(
    {
      async pull(controller) {
        let piece = hasStarted ? "" : BYTE_ORDER_MARK + csvLine(head);
        hasStarted = true;
        let isLast = false;
        // A page can be empty and have others after it. Nobody calls again for a stream to which nothing was added.
        do {
          const page = await read();
          piece += page.lines.map(csvLine).join("");
          isLast = page.isLast;
        } while (piece === "" && !isLast);
        if (piece !== "") controller.enqueue(encoder.encode(piece));
        if (isLast) controller.close();
      },
    },
    // No page is read before the client has taken the one before.
    { highWaterMark: 0 },
  );
}

/** Formats a time (ms) in UTC, in the form that spreadsheets read as a time. */
export function spreadsheetTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
