import { DrizzleQueryError } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { boundedDatabase, type DatabaseWait } from "./bounded-database.server.ts";
import { NamedColumnsSession, namedColumnsDatabase } from "./column-names.server.ts";
import { meteredDatabase, type QueryMeter } from "./query-meter.server.ts";

declare const name: unique symbol;

/**
 * The main database. `endsSessions` is set with the first statement that ends sessions: the worker then closes their
 * chat sockets after the response. `readOnce` is set while a request is answered. `userId` is set once it is known who
 * sent the request, for the request log. `refusesOrders` is set when an order is refused in maintenance mode: that is no
 * failure of the API. `renewWait` gives what follows the whole wait again, in both databases of a request: for work that is
 * worth doing after a statement without an answer.
 */
export type Db = DrizzleD1Database & {
  readonly [name]?: "main";
  endsSessions?: boolean;
  userId?: string;
  refusesOrders?: boolean;
  readOnce?: Map<string, Promise<unknown>>;
  renewWait?: () => void;
};
/** The support database. A separate type, so that the compiler rejects one passed as the other. */
export type SupportDb = DrizzleD1Database & { readonly [name]?: "support" };

/** `wait`: how long its calls may take; by default each for itself. Both databases of a request share its meter and its wait. */
export function connect(database: D1Database, meter?: QueryMeter, wait?: DatabaseWait): Db {
  const bounded = boundedDatabase(database, wait);
  // Without the schema: parsing it for relational queries on each request took a fifth of a short request's time.
  const db: Db = meter ? meteredDatabase(bounded, meter) : namedColumnsDatabase(new NamedColumnsSession(bounded));
  if (wait?.renew) db.renewWait = wait.renew;
  return db;
}

export function connectSupport(database: D1Database, meter?: QueryMeter, wait?: DatabaseWait): SupportDb {
  return connect(database, meter, wait) as SupportDb;
}

/**
 * Returns whether `error` is a violation of this constraint: the name of a CHECK, or "table.column" for UNIQUE and
 * NOT NULL. SQLite names the constraint only in the message text, and drizzle wraps the error.
 */
export function violates(error: unknown, constraint: string): boolean {
  return ownWords(error).some((words) => {
    const [, failed = ""] = words.split("constraint failed: ");
    return failed.split(":", 1)[0]?.split(", ").includes(constraint);
  });
}

/** Returns what the database itself says. Drizzle's message around it has the statement's values, which others wrote. */
function ownWords(error: unknown): string[] {
  const words: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof DrizzleQueryError)) words.push(cause.message);
  }
  return words;
}

/** Returns what a page may say about a failed query. The database's own words name tables, and drizzle's the values. */
export function databaseMessage(error: unknown): string {
  if (ownWords(error).some((words) => words.includes("constraint failed"))) return "The data could not be stored";
  return "The database could not be reached";
}
