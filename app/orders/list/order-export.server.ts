import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders, services } from "#app/db/schema.server.ts";
import { ANY_TIME, type TimeRange } from "#app/http/lists/day-range.ts";
import { CSV_ROWS_PER_READ, spreadsheetTime, streamCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { IS_INDEXED, OPEN_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";
import { fieldsOfOrder, ORDER_FIELD_NAMES } from "#app/orders/rules/order-input.ts";
import { placedBetween } from "./order-dates.server.ts";
import type { OrderFilter } from "./order-list.server.ts";
import { ownOrders, withStatus } from "./order-rows.server.ts";

type Cell = string | number;
type Row = { order: Order; service: string };

/** Columns that every order fills. Fields that only some types have follow them, named as in a mass order. */
const COLUMNS: Record<string, (row: Row) => Cell> = {
  order: ({ order }) => order.id,
  placed_at: ({ order }) => spreadsheetTime(order.createdAt),
  status: ({ order }) => order.status,
  service_id: ({ order }) => order.serviceId,
  service: ({ service }) => service,
  link: ({ order }) => order.link,
  quantity: ({ order }) => order.quantity,
  runs: ({ order }) => order.runs,
  start_count: ({ order }) => order.startCount ?? "",
  remains: ({ order }) => order.remains,
  charge: ({ order }) => decimal(order.charge, 2),
  refunded: ({ order }) => decimal(order.refunded, 2),
  price_rule: ({ order }) => order.priceRule?.name ?? "",
  discount: ({ order }) => decimal(order.discount, 2),
  source: ({ order }) => order.source,
};
const AMOUNTS = ["charge", "refunded", "discount"];
const OTHER_FIELDS = ORDER_FIELD_NAMES.filter((name) => !Object.hasOwn(COLUMNS, name));

/** Streams the user's orders as CSV, oldest first, a bounded number of rows at a time. */
export function exportOrdersCsv(
  db: Db,
  userId: string,
  filter: OrderFilter,
  currency: string,
  between: TimeRange = ANY_TIME,
): ReadableStream<Uint8Array> {
  const head = Object.keys(COLUMNS).map((name) => (AMOUNTS.includes(name) ? `${name}_${currency}` : name));
  let within: Promise<SQL | undefined> | undefined;
  return streamCsv([...head, ...OTHER_FIELDS], async (after) => {
    within ??= placedBetween(db, userId, between);
    const rows = await db
      .select({ order: orders, service: services.name })
      .from(orders)
      .innerJoin(services, eq(services.id, orders.serviceId))
      .where(and(ownOrders(userId), inFilter(filter), gt(orders.id, after), await within))
      .orderBy(asc(orders.id))
      .limit(CSV_ROWS_PER_READ);
    return rows.map((row) => ({ id: row.order.id, cells: cellsOf(row) }));
  });
}

function cellsOf(row: Row): Cell[] {
  const fields = fieldsOfOrder(row.order);
  return [...Object.values(COLUMNS).map((cell) => cell(row)), ...OTHER_FIELDS.map((name) => fields[name] ?? "")];
}

function inFilter(filter: OrderFilter) {
  if (filter === "all") return undefined;
  return filter === "open" ? sql`${orders.status} in ${OPEN_ORDER_LIST} and ${IS_INDEXED}` : withStatus(filter);
}
