import type { Db } from "#app/db/db.server.ts";
import { DAY_MS } from "#app/time.ts";
import { percentile } from "./durations.ts";
import { type RequestDay, readRequestDays } from "./request-hours.server.ts";

export const SHOWN_DAYS = 14;
const SLOW_SHARE = 0.95;

type Total = { requests: number; errors: number; refused: number; p95: number | null };
export type RequestTotals = {
  /** One for each day, oldest first; today is not over. */
  days: ({ date: string } & Total)[];
  /** Areas of these days together, those with most requests first. */
  areas: ({ area: string } & Total)[];
};

/** Sums up the requests of the last 14 days by day and by area. For staff: reads up to 24 rows per day and area. */
export async function readRequestTotals(db: Db, now: number): Promise<RequestTotals> {
  const today = Math.floor(now / DAY_MS);
  const first = today - SHOWN_DAYS + 1;
  const rows = await readRequestDays(db, first);
  const days = Array.from({ length: SHOWN_DAYS }, (_, at) => first + at);
  const areas = [...new Set(rows.map(({ area }) => area))];
  return {
    days: days.map((day) => ({
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      ...totalOf(rows.filter((row) => row.day === day)),
    })),
    areas: areas
      .map((area) => ({ area, ...totalOf(rows.filter((row) => row.area === area)) }))
      .sort((one, other) => other.requests - one.requests),
  };
}

function totalOf(rows: RequestDay[]): Total {
  const sum = (of: (row: RequestDay) => number) => rows.reduce((total, row) => total + of(row), 0);
  const buckets = Math.max(0, ...rows.map(({ durations }) => durations.length));
  const durations = Array.from({ length: buckets }, (_, bucket) => sum((row) => row.durations[bucket] ?? 0));
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    refused: sum(({ refused }) => refused),
    p95: percentile(durations, SLOW_SHARE),
  };
}
