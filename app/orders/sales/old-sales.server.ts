import { lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks, deleteOldest, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { orderCosts, salesDays } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { salesDayOf } from "./sales-period.ts";

/** Two years and a bit, to compare a month with that of the year before. The totals of days stay. */
export const SALES_KEPT_DAYS = 800;

/** What each provider cost and did by day. Deleted with the balances, see provider-balance.server.ts. */
export const PROVIDER_USE_KEPT_DAYS = 92;

/** Deletes the sales by service and provider of days more than 800 days ago. */
export async function deleteOldSales(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, salesDays, lt(salesDays.day, salesDayOf(now) - SALES_KEPT_DAYS), MANY_ROWS);
}

/** Changes of costs are there for as long, so that a day can be checked against them. The page of sales shows 400 days. */
export const COSTS_KEPT_DAYS = 400;

/**
 * Deletes the changes of costs of days more than 400 days ago that are summed up, but the newest of them: an empty table
 * would give its ids again, below the position of the job that sums up. Their sums stay.
 */
export async function deleteOldCosts(db: Db, now = Date.now()): Promise<void> {
  const first = (salesDayOf(now) - COSTS_KEPT_DAYS) * DAY_MS;
  const isSummedUp = sql`id < coalesce((select up_to_id from rollups where name = 'costs'), 0)`;
  const isOld = sql`created_at < cast(${first} as integer) and ${isSummedUp}`;
  await deleteOldest(db, orderCosts, { isOld }, MANY_ROWS);
}
