import { and, type Column, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "./db.server.ts";
import { within } from "./keyset.server.ts";

/** Rows whose ids grow with the time. */
type TimedRows = { table: SQLWrapper; id: Column; createdAt: Column; where?: SQL };

/** How far the clocks of those that write rows may be apart. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Returns the condition of the rows of a time range, or undefined for all. Finds the ids where the range begins and ends, so
 * that the list is read from its index by id and no index by time has to be written.
 */
export async function idsBetween(
  db: Db,
  rows: TimedRows,
  range: { from: number | null; before: number | null },
): Promise<SQL | undefined> {
  const bounds = await idBounds(db, rows, range);
  if (bounds === null) return undefined;
  const { low, high } = bounds;
  return and(gte(rows.id, low), high === null ? undefined : lt(rows.id, high), within(rows.createdAt, range));
}

/**
 * Returns the first id of a time range and the first one after it, or null for all times. A few rows near both ends were
 * created outside of it, because clocks differ.
 */
export async function idBounds(
  db: Db,
  rows: TimedRows,
  { from, before }: { from: number | null; before: number | null },
): Promise<{ low: number; high: number | null } | null> {
  if (from === null && before === null) return null;
  const low = from === null ? sql`0` : firstIdSince(rows, from - CLOCK_SLACK_MS);
  const high = before === null ? sql`null` : firstIdSince(rows, before + CLOCK_SLACK_MS);
  const [ids] = await db.all<{ low: number; high: number | null }>(sql`select ${low} as low, ${high} as high`);
  return { low: ids?.low ?? 0, high: ids?.high ?? null };
}

/**
 * Selects the smallest id from which on all rows were created at `time` or later, by halves. Each step reads one row, and
 * there are as many as the newest id has binary digits.
 */
export function firstIdSince({ table, id, createdAt, where }: TimedRows, time: number): SQL {
  const isSince = (from: SQL) =>
    sql`coalesce((select ${createdAt} >= ${time} from ${table} where ${and(where, gte(id, from))} order by ${id} limit 1), 1)`;
  const middle = sql`("low" + "high") / 2`;
  const low = sql`iif("since", "low", ${middle} + 1)`;
  const high = sql`iif("since", ${middle}, "high")`;
  return sql`(with recursive "search"("low", "high", "since") as (
    select 0, "end", ${isSince(sql`"end" / 2`)}
    from (select coalesce(max(${id}), 0) + 1 as "end" from ${table} where ${where ?? sql`1`})
    union all
    select ${low}, ${high}, ${isSince(sql`cast((${low} + ${high}) / 2 as integer)`)} from "search" where "low" < "high"
  ) select "low" from "search" where "low" >= "high")`;
}
