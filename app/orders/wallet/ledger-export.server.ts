import { and, asc, eq, gt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ledger } from "#app/db/schema.server.ts";
import { CSV_ROWS_PER_READ, spreadsheetTime, streamCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** Streams the user's ledger as CSV, oldest first. */
export function exportLedgerCsv(db: Db, userId: string, currency: string): ReadableStream<Uint8Array> {
  const head = ["entry", "at", "kind", "order", `amount_${currency}`, `balance_${currency}`, "note"];
  return streamCsv(head, async (after) => {
    const rows = await db
      .select()
      .from(ledger)
      .where(and(eq(ledger.userId, userId), gt(ledger.id, after)))
      .orderBy(asc(ledger.id))
      .limit(CSV_ROWS_PER_READ);
    return rows.map(({ id, createdAt, kind, orderId, amount, balanceAfter, note }) => ({
      id,
      cells: [id, spreadsheetTime(createdAt), kind, orderId ?? "", decimal(amount, 2), decimal(balanceAfter, 2), note],
    }));
  });
}
