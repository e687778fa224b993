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
  const { from, before } = range;
  if (from === null && before === null) return undefined;
  const low = from === null ? sql`0` : firstIdSince(rows, from - CLOCK_SLACK_MS);
  const high = before === null ? sql`null` : firstIdSince(rows, before + CLOCK_SLACK_MS);
  const [ids] = await db.all<{ low: number; high: number | null }>(sql`select ${low} as low, ${high} as high`);
  const end = ids?.high ?? null;
  return and(gte(rows.id, ids?.low ?? 0), end === null ? undefined : lt(rows.id, end), within(rows.createdAt, range));
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
