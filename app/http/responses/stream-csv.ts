import { csvLine } from "./csv-line.ts";

/** Maximum number of rows that `read` returns. Fewer mean the end of the table. */
export const CSV_ROWS_PER_READ = 1000;
/** Without it, spreadsheets read the text as Windows-1252. */
const BYTE_ORDER_MARK = "\ufeff";

type Row = { id: number; cells: (string | number)[] };

/** Streams a table as CSV. `read` returns the rows whose id is above `after`, by id. */
export function streamCsv(head: string[], read: (after: number) => Promise<Row[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after = 0;
  let hasStarted = false;
  return new ReadableStream({
    async pull(controller) {
      const rows = await read(after);
      const text = rows.map(({ cells }) => csvLine(cells)).join("");
      const piece = hasStarted ? text : BYTE_ORDER_MARK + csvLine(head) + text;
      hasStarted = true;
      after = rows.at(-1)?.id ?? after;
      if (piece !== "") controller.enqueue(encoder.encode(piece));
      if (rows.length < CSV_ROWS_PER_READ) controller.close();
    },
  });
}

/** Formats a time (ms) in UTC, in the form that spreadsheets read as a time. */
export function spreadsheetTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
