import { type SQL, sql } from "drizzle-orm";
import type { Db } from "./db.server.ts";

/** Ids that one page looks through at most, for a filter that no index holds. */
export const MOST_SCANNED = 5000;
/** Mostly, a page is full after these. */
const FIRST_WINDOW = 250;
/** An export reads large pages, and each read counts toward the platform's limit. */
const SCANNED_OF_LIMIT = 4;

export type BoundedScan = {
  descending: boolean;
  /**
   * Selects at most `size` rows that come after the id `after` in the list's order, from an index that holds them in it: the
   * numeric id as "at", and whether the row matches the whole filter as "hit".
   */
  window: (after: number | null, size: number) => SQL;
  /** Every row of a window matches: a page looks through no more than it shows. */
  isExact: boolean;
};

/** The ids of a page, in its order. `next`: where the page after it starts. Null: there is none. */
export type ScannedPage = { ids: number[]; next: number | null };

/**
 * Returns the ids of a page of a list whose filter no index holds: looks through ids of the index that holds most of it, and
 * ends after MOST_SCANNED, even if the page isn't full. `next` then leads to what wasn't looked through, so that no page
 * costs more, however rare the rows and however long the history.
 */
export async function boundedScan(
  db: Db,
  { descending, window, isExact }: BoundedScan,
  start: number | null,
  limit: number,
): Promise<ScannedPage> {
  const most = Math.max(MOST_SCANNED, SCANNED_OF_LIMIT * limit);
  const sizes = isExact ? [limit + 1] : [FIRST_WINDOW, most - FIRST_WINDOW];
  const last = sql.raw(descending ? "min" : "max");
  const found: number[] = [];
  let after = start;
  for (const size of sizes) {
    // One pass, because every row that a statement reads again is counted again.
    const [seen] = await db.all<{ count: number; end: number | null; hits: string }>(sql`
      select count(*) as "count", ${last}("at") as "end", json_group_array("at") filter (where "hit") as "hits"
      from (${window(after, size)})`);
    const hits: number[] = JSON.parse(seen?.hits ?? "[]");
    found.push(...hits.sort((a, b) => (descending ? b - a : a - b)));
    if (found.length > limit) {
      const shown = found.slice(0, limit);
      return { ids: shown, next: shown.at(-1) ?? null };
    }
    if (!seen || seen.count < size) return { ids: found, next: null };
    after = seen.end;
  }
  return { ids: found, next: after };
}
