import { DAY_MS } from "#app/time.ts";

/** UTC days, both included, as days since 1970. */
export type Period = { from: number; to: number };

/** Longest period of which sales are read by service, provider or customer: its rows grow with what is sold in it. */
export const MAX_DAYS_BY_SUBJECT = 92;
/** Longest period of which the totals of days are read. A day is one row. */
export const MAX_DAYS = 400;

export function salesDayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Returns the last `days` days that are over, which are the same all day long. */
export function lastDays(days: number, now: number): Period {
  const to = salesDayOf(now) - 1;
  return { from: to - days + 1, to };
}

/** Returns the days right before a period, as many as it has, to compare with. */
export function daysBefore({ from, to }: Period): Period {
  return { from: from - (to - from + 1), to: from - 1 };
}

/** Returns a day as in `2026-11-21`. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Returns the day of a text such as `2026-11-21`, or null. */
export function dayOfDate(text: string | null): number | null {
  const at = text !== null && DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : at / DAY_MS;
}

/**
 * Reads the days `from` and `to` of a search, both included. Without them, the last 30 days that are over. A longer period
 * than `max` days ends as asked and begins later.
 */
export function readPeriod(searchParams: URLSearchParams, now: number, max: number): Period {
  const to = dayOfDate(searchParams.get("to")) ?? salesDayOf(now) - 1;
  const from = dayOfDate(searchParams.get("from")) ?? to - 29;
  return bounded({ from: Math.min(from, to), to }, max);
}

export function bounded({ from, to }: Period, max: number): Period {
  return { from: Math.max(from, to - max + 1), to };
}
