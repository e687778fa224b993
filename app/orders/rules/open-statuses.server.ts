import { type SQL, sql } from "drizzle-orm";
import { orders } from "#app/db/schema.server.ts";
import {
  OPEN_CANCELLATION_STATUSES,
  OPEN_REFILL_STATUSES,
  OPEN_STATUSES,
  POLLED_STATUSES,
  UNINDEXED_STATUSES,
} from "./order-status.ts";

/** Lists of values and conditions for SQL. Literals, so that SQLite can use the partial indexes. */

export const OPEN_ORDER_LIST = listOf(OPEN_STATUSES);
/** The statuses of which an order's provider is asked for news. */
export const POLLED_ORDER_LIST = listOf(POLLED_STATUSES);
/** Is true for the orders that the indexes by status hold. */
export const IS_INDEXED = sql.join(
  UNINDEXED_STATUSES.map((status) => sql`${orders.status} <> ${sql.raw(`'${status}'`)}`),
  sql` and `,
);
export const OPEN_REFILL_LIST = listOf(OPEN_REFILL_STATUSES);
/** The fulfillment states in which a refill or cancellation waits for staff. */
export const FOR_STAFF_LIST = listOf(["manual", "held"]);
/** One value, as the indexes compare with one. */
export const OPEN_CANCELLATION = sql.raw(`'${only(OPEN_CANCELLATION_STATUSES)}'`);

function only(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) throw new Error(`one value expected, not ${values.join(", ")}`);
  return value;
}

function listOf(values: readonly string[]): SQL {
  return sql.raw(`(${values.map((value) => `'${value}'`).join(", ")})`);
}
