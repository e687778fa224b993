import { shortDurationText } from "#app/orders/delivery/delivery-time.ts";
import { daysBefore, type Period } from "#app/orders/sales/sales-period.ts";
import { DAY_MS } from "#app/time.ts";

/** What a period is compared with: the days right before it, as many, or the same days a year before. */
export const AGAINST = ["before", "year"] as const;
export type Against = (typeof AGAINST)[number];

export const AGAINST_NAMES: Record<Against, string> = {
  before: "The days before",
  year: "The same days a year before",
};

/** Returns the same date a year before, in days since 1970. Null for February 29, which the year before has not. */
export function yearBefore(day: number): number | null {
  const date = new Date(day * DAY_MS);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return date.getUTCMonth() === month ? date.getTime() / DAY_MS : null;
}

/** Returns the period to compare with. That of a year before leaves out a February 29 at its ends. */
export function comparedPeriod({ from, to }: Period, against: Against): Period {
  if (against === "before") return daysBefore({ from, to });
  const first = yearBefore(from) ?? yearBefore(from + 1) ?? from;
  const last = yearBefore(to) ?? yearBefore(to - 1) ?? to;
  return { from: Math.min(first, last), to: last };
}

/** Returns the day that a day of the period is compared with, or null if there is none. */
export function comparedDay(day: number, period: Period, against: Against): number | null {
  return against === "year" ? yearBefore(day) : day - (period.to - period.from + 1);
}

/** Writes how much more or less something is: "$40.00 more (+12%)". `write` writes what is not negative. */
export function differenceText(now: number, before: number, write: (value: number) => string): string {
  if (now === before) return "the same";
  const words = `${write(Math.abs(now - before))} ${now > before ? "more" : "less"}`;
  // From nothing, or from a loss, there is no part to name.
  if (before <= 0) return before === 0 ? `${words}, none before` : words;
  const percent = (Math.abs(now - before) / before) * 100;
  if (percent < 1) return `${words} (under 1%)`;
  return `${words} (${now > before ? "+" : "−"}${Math.round(percent).toLocaleString("en-US")}%)`;
}

/**
 * Writes how much higher or lower a share is than another, as far as both are shown: in tenths of a percentage point. Both
 * are in basis points. Null: not known.
 */
export function pointsText(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const tenths = Math.trunc(now / 10) - Math.trunc(before / 10);
  if (tenths === 0) return "the same";
  return `${(Math.abs(tenths) / 10).toFixed(1)} points ${tenths > 0 ? "higher" : "lower"}`;
}

/** Writes how much faster or slower something is. Both are in ms. Null: not known. */
export function speedText(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  return now === before
    ? "the same"
    : `${shortDurationText(Math.abs(now - before))} ${now < before ? "faster" : "slower"}`;
}
