import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { keyset, within } from "#app/db/keyset.server.ts";
import { checkouts, profiles } from "#app/db/schema.server.ts";
import { ANY_TIME, readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

export const PAYMENT_VIEWS = ["review", "reversed", "all"] as const;
export type PaymentView = (typeof PAYMENT_VIEWS)[number];

/** Literals, so that SQLite can use the partial indexes. */
const VIEWS: Record<PaymentView, SQL | undefined> = {
  review: sql`${checkouts.status} = 'review'`,
  reversed: gt(checkouts.reversed, sql.raw("0")),
  all: undefined,
};
const SORTS = ["created"] as const;

/** `userId`: the customer whose payments they are, or null for everybody's. */
type PaymentQuery = { view: PaymentView; between: TimeRange; sort: Sort<"created">; userId: string | null };

/** The prefix of the parameters of the list on a customer's page. */
export const PAYMENTS_LIST = "payments-";

/** Reads what the page of one customer asks for. */
export function readCustomerPaymentQuery(userId: string, searchParams: URLSearchParams) {
  const sort = readSort(searchParams, SORTS, "-created", PAYMENTS_LIST);
  return { view: "all" as const, between: ANY_TIME, sort, sorts: SORTS, userId };
}

export function readPaymentQuery(searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const sort = readSort(searchParams, SORTS, "-created");
  return { view: oneOf(PAYMENT_VIEWS, searchParams.get("state")), between, days, sort, sorts: SORTS, userId: null };
}

/** Lists payments after the cursor. Every view has an index by time, and so have a customer's payments. */
export async function listPayments(
  db: Db,
  { view, between, sort, userId }: PaymentQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<PaymentRow>> {
  const { after, order } = keyset({ value: checkouts.createdAt, id: checkouts.id, ...sort }, cursor);
  const rows = await selectPayments(db)
    .where(
      and(
        userId === null ? undefined : eq(checkouts.userId, userId),
        VIEWS[view],
        within(checkouts.createdAt, between),
        after,
      ),
    )
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ createdAt, id }) => ({ value: createdAt, id }));
}

export type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

function selectPayments(db: Db) {
  return db
    .select({
      id: checkouts.id,
      status: checkouts.status,
      amount: checkouts.amount,
      paid: checkouts.paid,
      received: checkouts.received,
      receivedCurrency: checkouts.receivedCurrency,
      reversed: checkouts.reversed,
      createdAt: checkouts.createdAt,
      email: profiles.email,
    })
    .from(checkouts)
    .leftJoin(profiles, eq(profiles.userId, checkouts.userId))
    .$dynamic();
}

const COLUMNS: CsvColumns<PaymentRow> = {
  payment: ({ id }) => id,
  started_at: ({ createdAt }) => spreadsheetTime(createdAt),
  customer: ({ email }) => email ?? "",
  status: ({ status }) => status,
  amount: ({ amount }) => decimal(amount, 2),
  received_minor_units: ({ received }) => received ?? "",
  received_currency: ({ receivedCurrency }) => receivedCurrency ?? "",
  credited: ({ paid }) => (paid === null ? "" : decimal(paid, 2)),
  reversed: ({ reversed }) => decimal(reversed, 2),
};

/** Exports the payments that the page shows: all of a view, or those of the customer that the URL names. */
export function exportPayments(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const userId = searchParams.get("customer");
  const query = userId === null ? readPaymentQuery(searchParams) : readCustomerPaymentQuery(userId, searchParams);
  return streamListCsv(COLUMNS, (after, limit) => listPayments(db, query, after, limit));
}
