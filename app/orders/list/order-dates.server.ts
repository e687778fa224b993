import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { firstIdSince as firstIdOfRows } from "#app/db/ids-by-time.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { isAnyTime, type TimeRange } from "#app/http/lists/day-range.ts";
import { ownOrders } from "./order-rows.server.ts";

/**
 * Returns the condition of orders placed between two times, by their ids: a customer's ids grow with the time, so a search
 * by halves in the index of their orders finds where a time begins. See docs/decisions/pages/0059-orders-by-date.md.
 */
export async function placedBetween(db: Db, userId: string, between: TimeRange): Promise<SQL | undefined> {
  if (isAnyTime(between)) return undefined;
  const [ids] = await db.all<{ low: number; high: number | null }>(idsPlacedBetween(userId, between));
  const { low = 0, high = null } = ids ?? {};
  return and(gte(orders.id, low), high === null ? undefined : lt(orders.id, high));
}

/** Selects the `low` id of orders placed between two times, and the `high` one, which is not among them, or null. */
export function idsPlacedBetween(userId: string, { from, before }: TimeRange): SQL {
  const low = from === null ? sql`0` : firstIdSince(userId, from);
  const high = before === null ? sql`null` : firstIdSince(userId, before);
  return sql`select ${low} as low, ${high} as high`;
}

/** Returns whether an order of that time is among those wanted. */
export function isPlacedBetween(at: number, { from, before }: TimeRange): boolean {
  return (from === null || at >= from) && (before === null || at < before);
}

function firstIdSince(userId: string, time: number): SQL {
  return firstIdOfRows({ table: orders, id: orders.id, createdAt: orders.createdAt, where: ownOrders(userId) }, time);
}
