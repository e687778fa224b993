import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

declare const name: unique symbol;

/**
 * The main database. `endsSessions` is set with the first statement that ends sessions: the worker then closes their
 * chat sockets after the response. `readOnce` is set while a request is answered.
 */
export type Db = DrizzleD1Database & {
  readonly [name]?: "main";
  endsSessions?: boolean;
  readOnce?: Map<string, Promise<unknown>>;
};
/** The support database. A separate type, so that the compiler rejects one passed as the other. */
export type SupportDb = DrizzleD1Database & { readonly [name]?: "support" };

export function connect(database: D1Database): Db {
  // Without the schema: parsing it for relational queries on each request took a fifth of a short request's time.
  return drizzle(database);
}

export function connectSupport(database: D1Database): SupportDb {
  return drizzle(database);
}

/**
 * Returns whether `error` is a violation of this constraint: the name of a CHECK, or "table.column" for UNIQUE and
 * NOT NULL. SQLite names the constraint only in the message text, and drizzle wraps the error.
 */
export function violates(error: unknown, constraint: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (new RegExp(`constraint failed: (.*, )?${constraint.replaceAll(".", "\\.")}(,|:|$)`).test(cause.message)) {
      return true;
    }
  }
  return false;
}

/** Returns what a page may say about a failed query. The database's own words name tables, and drizzle's the values. */
export function databaseMessage(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/constraint failed/.test(cause.message)) return "The data could not be stored";
  }
  return "The database could not be reached";
}
