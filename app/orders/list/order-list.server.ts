import { and, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_STATUSES, type OrderStatus, orders } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { readLink } from "#app/orders/rules/links/read-link.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { ANY_TIME, isPlacedBetween, type PlacedBetween, placedBetween } from "./order-dates.server.ts";
import { MAX_ORDER_IDS, type OrderRow, ownOrders, readOrderRows, withStatus } from "./order-rows.server.ts";

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
  query: { filter: OrderFilter; search: string; before: number | null; between?: PlacedBetween },
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
  const within = await placedBetween(db, userId, between);
  const window = search === "" ? limit + 1 : SEARCH_WINDOW;
  const statuses = statusesOf(query.filter);
  // One subquery per status, so that each reads its index in order and no further than needed.
  const parts = (statuses ?? [null]).map((status) => newest(userId, status, { before: query.before, within }, window));
  const candidates = sql`(select * from (${sql.join(parts, sql` union all `)}) order by id desc limit ${window})`;
  const matches = search === "" ? sql`1` : containsText(search);
  const matching = sql`select id, 0 as is_end from ${candidates} where ${matches} order by id desc limit ${limit + 1}`;
  const windowEnd = sql`select id, 1 as is_end from ${candidates} order by id desc limit 1 offset ${window - 1}`;
  // One statement, because an order that arrives or ends in between would move the end of the window.
  const read = await db.all<{ id: number; is_end: number }>(
    search === "" ? matching : sql`select * from (${matching}) union all select * from (${windowEnd})`,
  );
  const found = read.filter(({ is_end }) => is_end === 0);
  const last = read.find(({ is_end }) => is_end === 1);
  const shown = found.slice(0, limit).map(({ id }) => id);
  const searchedTo = found.length > limit ? null : (last?.id ?? null);
  return {
    rows: await readOrderRows(db, userId, shown),
    next: found.length > limit ? (shown.at(-1) ?? null) : searchedTo,
    searched: searchedTo === null ? null : window,
  };
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
  { before, within }: { before: number | null; within: SQL | undefined },
  limit: number,
): SQL {
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
