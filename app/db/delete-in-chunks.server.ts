import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, SupportDb } from "./db.server.ts";

/** Rows per statement. One statement blocks every other one in the database while it runs. */
const CHUNK_ROWS = 500;
/** Statements per call. A request or cron run may make 1,000 D1 queries: https://developers.cloudflare.com/d1/platform/limits */
const MAX_CHUNKS = 100;

/**
 * Deletes the rows that match, in statements of bounded size, and returns their number. Stops after `maxChunks`
 * statements; the next run continues. `where` must be served by an index, or every statement scans the table.
 */
export async function deleteInChunks(
  db: Db | SupportDb,
  table: SQLiteTable,
  where: SQL | undefined,
  { rows = CHUNK_ROWS, maxChunks = MAX_CHUNKS } = {},
): Promise<number> {
  if (!where) throw new Error("deleting in chunks needs a condition");
  let deleted = 0;
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const ids = await db.all<{ rowid: number }>(
      sql`delete from ${table} where rowid in (select rowid from ${table} where ${where} limit ${rows}) returning rowid`,
    );
    deleted += ids.length;
    if (ids.length < rows) break;
  }
  return deleted;
}
