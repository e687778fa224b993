import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, SupportDb } from "./db.server.ts";

/** Rows per statement. One statement blocks every other one in the database while it runs. */
const CHUNK_ROWS = 500;
/** Chunks per call. All jobs of a nightly run share 1,000 queries: https://developers.cloudflare.com/d1/platform/limits */
const MAX_CHUNKS = 50;
/** Read first, then ten times as many, because on most nights few rows are old. */
const FIRST_ROWS = 100;
/** For tables that get a row for every order or delivery. */
export const MANY_ROWS = { rows: 5000 };

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

/**
 * Deletes old rows of a table that grows in order of time, in statements of bounded size, and returns their number. Goes
 * through the rows in the order they were inserted, up to the first that is not `isOld`, so it needs no index. Old rows
 * that `isKept` selects stay; each run reads them again.
 */
export async function deleteOldest(
  db: Db | SupportDb,
  table: SQLiteTable,
  { isOld, isKept = sql`false` }: { isOld: SQL; isKept?: SQL },
  { rows = CHUNK_ROWS, maxChunks = MAX_CHUNKS } = {},
): Promise<number> {
  let deleted = 0;
  let from = 0;
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const limit = Math.min(rows, FIRST_ROWS * 10 ** chunk);
    const page = await db.all<{ id: number; old: number }>(
      sql`select rowid as id, ${isOld} as old from ${table} where rowid > cast(${from} as integer) order by rowid limit ${limit}`,
    );
    const firstToKeep = page.findIndex(({ old }) => old === 0);
    const old = firstToKeep === -1 ? page : page.slice(0, firstToKeep);
    const to = old.at(-1)?.id;
    if (to === undefined) break;
    const ids = await db.all<{ rowid: number }>(
      sql`delete from ${table} where rowid > cast(${from} as integer) and rowid <= cast(${to} as integer)
        and ${isOld} and not (${isKept}) returning rowid`,
    );
    deleted += ids.length;
    if (old.length < limit) break;
    from = to;
  }
  return deleted;
}
