import { type SQL, sql } from "drizzle-orm";
import { orders } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

/** An open order of which nothing has changed for longer than this stands still. */
const STILL_MS = DAY_MS;

/** Is true for orders past their own `expected_by`, which are late while they are open. As `hasPassed`, with which pages ask. */
export function isPastExpected(now: number): SQL {
  return sql`${orders.expectedBy} <= cast(${now} as integer)`;
}

/** Is true for orders that nothing has changed for a day. */
export function isStill(now: number): SQL {
  return sql`${orders.updatedAt} < cast(${now - STILL_MS} as integer)`;
}
