import { and, type SQL } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { idsBetween } from "#app/db/ids-by-time.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { findOrderOrCustomer, listStaffOrders, ORDER_VIEWS, type OrderView } from "./staff-order-list.server.ts";

const SORTS = ["created"] as const;

type StaffOrderQuery = { view: OrderView; userId: string | null; within: SQL | undefined; sort: Sort<"created"> };
export type StaffOrderRow = Awaited<ReturnType<typeof listStaffOrders>>[number];

/** Reads what the URL asks for. `orderId` is set if the search names one order; `query` is null if it finds nothing. */
export async function readStaffOrderQuery(db: Db, searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const search = searchParams.get("q")?.trim() ?? "";
  const found = search === "" ? null : await findOrderOrCustomer(db, search);
  const userId = found?.kind === "customer" ? found.userId : null;
  // One customer's orders start with all of them; the general list starts with those that wait for a person.
  const view = ORDER_VIEWS.find((known) => known === searchParams.get("state")) ?? (userId ? "all" : "held");
  const sort = readSort(searchParams, SORTS, "-created");
  const isMissing = search !== "" && userId === null;
  const within = isMissing ? undefined : await idsBetween(db, TIMED, between);
  return {
    shown: { view, search, days, sort, sorts: SORTS },
    orderId: found?.kind === "order" ? found.orderId : null,
    query: isMissing ? null : { view, userId, within, sort },
  };
}

const TIMED = { table: orders, id: orders.id, createdAt: orders.createdAt };

/** Lists orders by their ids, which grow with the time. */
export async function listStaffOrderPage(
  db: Db,
  { view, userId, within, sort }: StaffOrderQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffOrderRow>> {
  const { after, order } = keyset({ value: orders.id, id: orders.id, ...sort }, cursor);
  const rows = await listStaffOrders(db, { view, userId, where: and(within, after), order }, limit);
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
