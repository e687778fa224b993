import { and, asc, gte, lt, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { requestHours } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { BUCKETS } from "./durations.ts";
import type { RequestCounts } from "./request-counters.ts";

const DAY_HOURS = 24;
/** Whole days, beside the one that runs. */
const KEPT_DAYS = 30;

/** Requests of one area in an hour, or of one day. */
export type RequestHour = typeof requestHours.$inferSelect;
export type RequestDay = Omit<RequestHour, "hour"> & { day: number };

/** Adds counts to their hours, in one statement. */
export async function addToHours(db: Db, counts: RequestCounts[]): Promise<void> {
  const added = (column: SQLiteColumn) => sql`${column} + excluded.${sql.identifier(column.name)}`;
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) => {
    const at = sql.raw(`'$[${bucket}]'`);
    return sql`${requestHours.durations} ->> ${at} + excluded.durations ->> ${at}`;
  });
  // In the order of the table's columns.
  const values = sql`
    select value ->> 'hour', value ->> 'area', value ->> 'requests', value ->> 'errors', value ->> 'refused',
      value ->> 'ms', value ->> 'queries', value ->> 'rowsRead', value ->> 'rowsWritten', value -> 'durations'
    from json_each(${JSON.stringify(counts)}) where true`;
  await db
    .insert(requestHours)
    .select(values)
    .onConflictDoUpdate({
      target: [requestHours.hour, requestHours.area],
      set: {
        requests: added(requestHours.requests),
        errors: added(requestHours.errors),
        refused: added(requestHours.refused),
        ms: added(requestHours.ms),
        queries: added(requestHours.queries),
        rowsRead: added(requestHours.rowsRead),
        rowsWritten: added(requestHours.rowsWritten),
        durations: sql`json_array(${sql.join(buckets, sql`, `)})`,
      },
    });
}

/** Returns the hours that begin at or after `from` and before `to` (ms), oldest first. At most one row per area and hour. */
export async function readRequestHours(db: Db, from: number, to: number): Promise<RequestHour[]> {
  return db
    .select()
    .from(requestHours)
    .where(and(gte(requestHours.hour, hourOf(from)), lt(requestHours.hour, Math.ceil(to / HOUR_MS))))
    .orderBy(asc(requestHours.hour), asc(requestHours.area));
}

/** Returns the sums of whole UTC days (numbered since 1970), oldest first. Reads every hour of them: for staff only. */
export async function readRequestDays(db: Db, fromDay: number): Promise<RequestDay[]> {
  const hours = await db
    .select()
    .from(requestHours)
    .where(gte(requestHours.hour, fromDay * DAY_HOURS))
    .orderBy(asc(requestHours.hour), asc(requestHours.area));
  const days = new Map<string, RequestDay>();
  for (const { hour, ...row } of hours) {
    const day = Math.floor(hour / DAY_HOURS);
    const key = `${day} ${row.area}`;
    const sum = days.get(key);
    days.set(key, sum ? addDay(sum, row) : { ...row, day });
  }
  return [...days.values()];
}

/** Deletes hours older than 30 days. */
export async function deleteOldHours(db: Db, now = Date.now()): Promise<void> {
  const first = (Math.floor(hourOf(now) / DAY_HOURS) - KEPT_DAYS) * DAY_HOURS;
  await deleteInChunks(db, requestHours, lt(requestHours.hour, first));
}

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

function addDay(sum: RequestDay, row: Omit<RequestHour, "hour">): RequestDay {
  return {
    ...sum,
    requests: sum.requests + row.requests,
    errors: sum.errors + row.errors,
    refused: sum.refused + row.refused,
    ms: sum.ms + row.ms,
    queries: sum.queries + row.queries,
    rowsRead: sum.rowsRead + row.rowsRead,
    rowsWritten: sum.rowsWritten + row.rowsWritten,
    durations: sum.durations.map((count, bucket) => count + (row.durations[bucket] ?? 0)),
  };
}
