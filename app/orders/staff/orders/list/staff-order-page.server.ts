import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { idsBetween } from "#app/db/ids-by-time.server.ts";
import { keyset, upTo, windowEnd } from "#app/db/keyset.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { sparsePage } from "#app/http/lists/sparse-page.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { findOrdersOrCustomer, listStaffOrders, ORDER_VIEWS, type OrderView } from "./staff-order-list.server.ts";

const SORTS = ["created"] as const;

type StaffOrderQuery = {
  view: OrderView;
  userId: string | null;
  /** Orders that the search names by one id. Null: all. */
  orderIds: number[] | null;
  within: SQL | undefined;
  sort: Sort<"created">;
};
export type StaffOrderRow = Awaited<ReturnType<typeof listStaffOrders>>[number];

/** Reads what the URL asks for. `orderId` is set if the search names one order; `query` is null if it finds nothing. */
export async function readStaffOrderQuery(db: Db, searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const search = searchParams.get("q")?.trim() ?? "";
  const found = search === "" ? null : await findOrdersOrCustomer(db, search);
  const userId = found?.kind === "customer" ? found.userId : null;
  const orderIds = found?.kind === "orders" ? found.orderIds : null;
  // Search results start with all orders; the general list starts with those that wait for a person.
  const view = ORDER_VIEWS.find((known) => known === searchParams.get("state")) ?? (found ? "all" : "held");
  const sort = readSort(searchParams, SORTS, "-created");
  const isMissing = search !== "" && found === null;
  const within = isMissing ? undefined : await idsBetween(db, TIMED, between);
  return {
    shown: { view, search, isOfCustomer: userId !== null, days, sort, sorts: SORTS },
    orderId: orderIds?.length === 1 ? (orderIds[0] ?? null) : null,
    query: isMissing ? null : { view, userId, orderIds, within, sort },
  };
}

/** The views that no index holds for one customer: they are looked for among all of the customer's orders. */
const SPARSE_VIEWS: readonly OrderView[] = ["held", "manual", "Completed"];
const TIMED = { table: orders, id: orders.id, createdAt: orders.createdAt };

/** Lists orders by their ids, which grow with the time. */
export async function listStaffOrderPage(
  db: Db,
  { view, userId, orderIds, within, sort }: StaffOrderQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffOrderRow>> {
  const by = { value: orders.id, id: orders.id, ...sort };
  if (userId !== null && SPARSE_VIEWS.includes(view)) {
    return sparsePage(cursor, limit, {
      windowEnd(from, size) {
        const { after, order } = keyset(by, from);
        const where = and(eq(orders.userId, userId), sql`${orders.isTest} = 0`, within, after);
        return windowEnd(db, { table: orders, id: orders.id, where, order }, size);
      },
      rows(from, end, most) {
        const { after, order } = keyset(by, from);
        return listStaffOrders(db, { view, userId, where: and(within, after, upTo(by, end)), order }, most - 1);
      },
    });
  }
  const { after, order } = keyset(by, cursor);
  const named = orderIds === null ? undefined : inArray(orders.id, orderIds);
  const rows = await listStaffOrders(db, { view, userId, where: and(named, within, after), order }, limit);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

const COLUMNS: CsvColumns<StaffOrderRow> = {
  order: ({ id }) => id,
  placed_at: ({ createdAt }) => spreadsheetTime(createdAt),
  status: ({ status }) => status,
  fulfillment: ({ fulfillment }) => fulfillment,
  customer: ({ email }) => email ?? "",
  service: ({ service }) => service,
  provider: ({ provider }) => provider ?? "",
  link: ({ link }) => link,
  quantity: ({ quantity }) => quantity,
  runs: ({ runs }) => runs,
  remains: ({ remains }) => remains,
  charge: ({ charge }) => decimal(charge, 2),
  refunded: ({ refunded }) => decimal(refunded, 2),
};

export async function exportStaffOrders(db: Db, searchParams: URLSearchParams): Promise<ReadableStream<Uint8Array>> {
  const { query } = await readStaffOrderQuery(db, searchParams);
  return streamListCsv(COLUMNS, async (after, limit) =>
    query === null ? { rows: [], next: null } : listStaffOrderPage(db, query, after, limit),
  );
}
