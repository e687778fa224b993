import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { violates } from "./db.server.ts";

/**
 * Rows that staff edit carry a `version`. Each update of what staff edit raises it, in the same statement. A form sends the
 * version it began from, and an update from an older one is refused by the database.
 */

/**
 * Returns the next version for the `set` of an update that began from `expected`. If the row has moved on, it is NULL,
 * which the column refuses: that rolls the whole batch back, and `isStale` recognizes the error.
 */
export function nextVersion(column: SQLiteColumn, expected: number): SQL<number> {
  return sql`iif(${column} = ${expected}, ${column} + 1, null)`;
}

/** Returns whether the batch was refused because a row of `table` is no longer at the expected version. */
export function isStale(error: unknown, table: string): boolean {
  return violates(error, `${table}.version`);
}
