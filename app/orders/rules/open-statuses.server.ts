import { type SQL, sql } from "drizzle-orm";
import { OPEN_REFILL_STATUSES, OPEN_STATUSES } from "./order-status.ts";

/** Lists of values for SQL. Literals, so that SQLite can use the partial indexes. */

export const OPEN_ORDER_LIST = listOf(OPEN_STATUSES);
export const OPEN_REFILL_LIST = listOf(OPEN_REFILL_STATUSES);
/** The fulfillment states in which a refill or cancellation waits for staff. */
export const FOR_STAFF_LIST = listOf(["manual", "held"]);
export const OPEN_CANCELLATION = sql.raw("'Pending'");

function listOf(values: readonly string[]): SQL {
  return sql.raw(`(${values.map((value) => `'${value}'`).join(", ")})`);
}
