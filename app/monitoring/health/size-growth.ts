import { DAY_MS } from "#app/time.ts";

/** The growth of so many days tells when a database is full. */
export const GROWTH_DAYS = 30;
/** Fewer days say nothing: one import would look like the growth of each day. */
export const MIN_GROWTH_DAYS = 7;
/** A date further away is a guess. */
const MAX_DAYS_AHEAD = 5 * 365;

/** A day since 1970, and a size in bytes. */
export type SizeOfDay = { day: number; bytes: number };

/**
 * When a database reaches a size. `unknown`: its growth is not known yet. `far`: not within five years, by its growth of
 * the last 30 days.
 */
export type Reach = { kind: "unknown" | "far" | "reached" } | { kind: "at"; at: number };

/** Returns when the database reaches `size` if it goes on as in the last 30 days. `days`: those stored, oldest first. */
export function reachOf(days: SizeOfDay[], bytes: number, size: number, now: number): Reach {
  if (bytes >= size) return { kind: "reached" };
  const today = now / DAY_MS;
  const [first] = days.filter(({ day }) => day >= Math.floor(today) - GROWTH_DAYS);
  if (!first || today - first.day < MIN_GROWTH_DAYS) return { kind: "unknown" };
  const perDay = (bytes - first.bytes) / (today - first.day);
  const ahead = perDay > 0 ? (size - bytes) / perDay : Number.POSITIVE_INFINITY;
  return ahead > MAX_DAYS_AHEAD ? { kind: "far" } : { kind: "at", at: now + ahead * DAY_MS };
}

const MEGABYTE = 1_000_000;

/** Returns the size in MB of each of the last 30 days, today among them; null where none was stored. */
export function sizeOfDays(days: SizeOfDay[], bytes: number | null, now: number) {
  const today = Math.floor(now / DAY_MS);
  // A small database grows by less than a megabyte.
  const megabytes = (size: number) =>
    size < 100 * MEGABYTE ? Math.round((10 * size) / MEGABYTE) / 10 : Math.round(size / MEGABYTE);
  return Array.from({ length: GROWTH_DAYS }, (_, at) => {
    const day = today - GROWTH_DAYS + 1 + at;
    const stored = day === today ? bytes : (days.find((one) => one.day === day)?.bytes ?? null);
    return {
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      value: stored === null ? null : megabytes(stored),
    };
  });
}
