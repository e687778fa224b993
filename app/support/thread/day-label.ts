import { DAY_MS } from "#app/time.ts";

/** Returns whether `at` is on another day than `before` in the reader's time zone. Both in ms; null is no day. */
export function startsDay(at: number, before: number | null): boolean {
  return before === null || dayOf(at) !== dayOf(before);
}

/** "Today", "Yesterday", "Monday, March 2", and with the year if it is another one. */
export function dayLabel(at: number, now: number, locale: string): string {
  const days = Math.round((dayOf(now) - dayOf(at)) / DAY_MS);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, {
    weekday: "long",
    month: "long",
    day: "numeric",
    ...(!isThisYear && { year: "numeric" }),
  }).format(at);
}

/** Returns the local day's midnight. With UTC's, because a local day may have 23 or 25 hours. */
function dayOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}
