import { and, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { ledger } from "#app/db/schema.server.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** One customer's transactions, as staff list them. */

const SORTS = ["created"] as const;
/** The prefix of the list's parameters in the URL of a customer's page. */
export const ENTRIES_LIST = "entries-";

type EntryQuery = { userId: string; sort: Sort<"created"> };
export type CustomerEntry = typeof ledger.$inferSelect;

export function readEntryQuery(userId: string, searchParams: URLSearchParams) {
  return { userId, sort: readSort(searchParams, SORTS, "-created", ENTRIES_LIST), sorts: SORTS };
}

/** Lists a customer's entries of the ledger after the cursor, in the order of their ids, which grow with the time. */
export async function listEntries(
  db: Db,
  { userId, sort }: EntryQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<CustomerEntry>> {
  const { after, order } = keyset({ value: ledger.id, id: ledger.id, descending: sort.descending }, cursor);
  const rows = await db
    .select()
    .from(ledger)
    .where(and(eq(ledger.userId, userId), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

const COLUMNS: CsvColumns<CustomerEntry> = {
  entry: ({ id }) => id,
  at: ({ createdAt }) => spreadsheetTime(createdAt),
  kind: ({ kind }) => kind,
  order: ({ orderId }) => orderId ?? "",
  amount: ({ amount }) => decimal(amount, 2),
  balance: ({ balanceAfter }) => decimal(balanceAfter, 2),
  note: ({ note }) => note,
};

/** Exports the entries of the customer that the URL names, in the order of the page. */
export function exportEntries(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readEntryQuery(searchParams.get("customer") ?? "", searchParams);
  return streamListCsv(COLUMNS, (after, limit) => listEntries(db, query, after, limit));
}
