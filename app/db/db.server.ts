import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

declare const name: unique symbol;

/** The main database. */
export type Db = DrizzleD1Database & { readonly [name]?: "main" };
/** The database of the conversations. A type of its own, so that the compiler tells the two apart. */
export type SupportDb = DrizzleD1Database & { readonly [name]?: "support" };

export function connect(database: D1Database): Db {
  // Without the schema: reading it anew for relational queries cost a fifth of a short request.
  return drizzle(database);
}

export function connectSupport(database: D1Database): SupportDb {
  return drizzle(database);
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
