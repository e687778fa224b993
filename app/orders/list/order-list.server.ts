import { and, desc, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_STATUSES, type OrderStatus, orders } from "#app/db/schema.server.ts";
import { ANY_TIME, isAnyTime, type TimeRange } from "#app/http/lists/day-range.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { readLink } from "#app/orders/rules/links/read-link.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { idsPlacedBetween, isPlacedBetween } from "./order-dates.server.ts";
import {
  MAX_ORDER_IDS,
  type OrderRow,
  orderRowsOf,
  ownOrders,
  readOrderRows,
  selectOrderRows,
  withStatus,
} from "./order-rows.server.ts";

export const ORDER_FILTERS = ["all", "open", ...ORDER_STATUSES] as const;
export type OrderFilter = (typeof ORDER_FILTERS)[number];

export type OrderPage = {
  rows: OrderRow[];
  /** The next page's cursor, or null on the last page. */
  next: number | null;
  /** Number of orders read, if the search stopped at its window with older orders left. */
  searched: number | null;
};

/** Number of orders that one page of a search reads. The next page continues from there. */
export const SEARCH_WINDOW = 2000;

/**
 * Returns one page of the user's orders, newest first. `search` is one or more order ids, or a part of the link or of
 * another field (usernames, comments). The rows read do not grow with the number of orders.
 */
export async function listOrderPage(
  db: Db,
  userId: string,
  query: { filter: OrderFilter; search: string; before: number | null; between?: TimeRange },
  limit: number,
): Promise<OrderPage> {
  const search = query.search.trim();
  const { between = ANY_TIME } = query;
  const ids = orderIdsOf(search);
  if (ids) {
    const rows = await readOrderRows(db, userId, ids);
    const matching = rows.filter(
      ({ status, createdAt }) => matchesFilter(status, query.filter) && isPlacedBetween(createdAt, between),
    );
    return { rows: matching, next: null, searched: null };
  }
  const window = search === "" ? limit + 1 : SEARCH_WINDOW;
  const statuses = statusesOf(query.filter);
  const isBounded = !isAnyTime(between);
  // Found once, as each step of the search by halves reads an order.
  const bounds = isBounded
    ? sql`with "bounds"(low, high) as materialized (${idsPlacedBetween(userId, between)}) `
    : sql``;
  // One subquery per status, so that each reads its index in order and no further than needed.
  const parts = (statuses ?? [null]).map((status) =>
    newest(userId, status, { before: query.before, isBounded }, window),
  );
  const candidates = sql`(select * from (${sql.join(parts, sql` union all `)}) order by id desc limit ${window})`;
  const matches = search === "" ? sql`1` : containsText(search);
  const matching = sql`(${bounds}select id from ${candidates} where ${matches} order by id desc limit ${limit + 1})`;
  const lastOfWindow = sql`(${bounds}select id from ${candidates} order by id desc limit 1 offset ${window - 1})`;
  const rowsIn = (ids: SQL) => and(ownOrders(userId), inArray(orders.id, ids));
  // In one transaction: an order that arrives or ends in between would move the end of the window.
  const [selected, [last] = []] = await db.batch([
    selectOrderRows(db).where(rowsIn(matching)).orderBy(desc(orders.id)),
    ...(search === "" ? [] : [db.select({ id: orders.id }).from(orders).where(rowsIn(lastOfWindow))]),
  ]);
  const rows = orderRowsOf(selected.slice(0, limit));
  if (selected.length > limit) return { rows, next: rows.at(-1)?.id ?? null, searched: null };
  return { rows, next: last?.id ?? null, searched: last ? window : null };
}

/**
 * Matches the link or the value of another field. Ignores the case of ASCII letters only, as SQLite's `lower` does. Orders
 * of people keep the usual form of their links, so any other form of one is searched as that, too.
 */
function containsText(search: string): SQL {
  const contains = (text: SQL, part: string) => sql`instr(lower(${text}), lower(${part})) > 0`;
  const { link } = readLink(search);
  const isLink = or(contains(sql`link`, search), link === search ? undefined : contains(sql`link`, link));
  return sql`(${isLink} or exists (select 1 from json_each(provider_fields) where ${contains(sql`value`, search)}))`;
}

function newest(
  userId: string,
  status: OrderStatus | null,
  { before, isBounded }: { before: number | null; isBounded: boolean },
  limit: number,
): SQL {
  const within = isBounded
    ? sql`${orders.id} >= (select low from "bounds") and ${orders.id} < coalesce((select high from "bounds"), ${Number.MAX_SAFE_INTEGER})`
    : undefined;
  const where = and(ownOrders(userId), withStatus(status), before === null ? undefined : lt(orders.id, before), within);
  return sql`select * from (select ${orders.id} as id, ${orders.link} as link, ${orders.providerFields} as provider_fields from ${orders} where ${where} order by ${orders.id} desc limit ${limit})`;
}

function statusesOf(filter: OrderFilter): readonly OrderStatus[] | null {
  if (filter === "all") return null;
  return filter === "open" ? OPEN_STATUSES : [filter];
}

function matchesFilter(status: OrderStatus, filter: OrderFilter): boolean {
  return statusesOf(filter)?.includes(status) ?? true;
}

/** Parses "#12, 13 14" to [12, 13, 14]. Returns null for anything else. */
function orderIdsOf(search: string): number[] | null {
  const ids = search.split(/[\s,;]+/).map(parseWrittenId);
  return ids.every((id) => id !== null) ? ids.slice(0, MAX_ORDER_IDS) : null;
}
