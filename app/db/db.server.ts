import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema.server.ts";

export type Db = DrizzleD1Database<typeof schema>;

export function connect(database: D1Database): Db {
  return drizzle(database, { schema });
}

/**
 * True when `error` is the violation of that constraint: a CHECK by its name, a UNIQUE or NOT NULL by "table.column".
 * SQLite names it only in the text of the message, and drizzle wraps it.
 */
export function violates(error: unknown, constraint: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (new RegExp(`constraint failed: (.*, )?${constraint.replaceAll(".", "\\.")}(,|:|$)`).test(cause.message)) {
      return true;
    }
  }
  return false;
}
