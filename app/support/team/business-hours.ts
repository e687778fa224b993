import { DAY_MS, MINUTE_MS } from "#app/time.ts";

/** The team's business hours. Minutes count from midnight in the team's time zone; weeks start on Monday. */

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export const DAY_MINUTES = 24 * 60;
const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const AWAY_PREFIX = "away-";
/** A target that the hours of so many days do not reach is none. */
const RESPONSE_DAYS_MAX = 100;
/** A clock change can skip the hours of a week, if they are the hour that it skips. */
const OPENING_DAYS_MAX = 15;

/** The hours of a day. An end after 24:00 is on the day after. */
export type DayHours = { from: number; to: number };

export type BusinessHours = {
  /** Off: the team counts as always open. */
  hoursOn: boolean;
  timeZone: string;
  /** Seven, Monday first. Null: closed on that day. */
  days: (DayHours | null)[];
};

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Formats as `09:00`, the value of a time input. The end of a day is the `00:00` of the next one. */
export function clockText(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return `${two(Math.floor((minutes % DAY_MINUTES) / 60))}:${two(minutes % 60)}`;
}

/** Formats a day's hours: `09:00–18:00`, `22:00–02:00`, or `20:00–24:00`. */
export function dayText({ from, to }: DayHours): string {
  return `${clockText(from)}–${to === DAY_MINUTES ? "24:00" : clockText(to)}`;
}

/** Formats the hours: "Monday to Friday 09:00–18:00 (Europe/Berlin)". Returns null if the team keeps none. */
export function hoursText({ hoursOn, timeZone, days }: BusinessHours): string | null {
  const runs: { from: string; to: string; hours: string }[] = [];
  for (const [at, day] of days.entries()) {
    const name = DAYS[at];
    if (!day || name === undefined) continue;
    const hours = dayText(day);
    const last = runs.at(-1);
    if (last?.hours === hours && last.to === DAYS[at - 1]) last.to = name;
    else runs.push({ from: name, to: name, hours });
  }
  if (!hoursOn || runs.length === 0) return null;
  const texts = runs.map(({ from, to, hours }) => `${from === to ? from : `${from} to ${to}`} ${hours}`);
  return `${texts.join(", ")} (${timeZone})`;
}

export function isOpen(settings: BusinessHours, now: number): boolean {
  if (!settings.hoursOn) return true;
  const { weekday, minute } = localTime(settings.timeZone, now);
  const [today, yesterday] = [settings.days[weekday], settings.days[(weekday + 6) % 7]];
  return (today && minute >= today.from && minute < today.to) || minute + DAY_MINUTES < (yesterday?.to ?? 0);
}

/** Returns when the team opens next, in ms. Null: it is open, or no day has hours. */
export function nextOpening(settings: BusinessHours, now: number): number | null {
  if (isOpen(settings, now)) return null;
  for (const { from } of openSpans(settings, now, OPENING_DAYS_MAX)) return from;
  return null;
}

/**
 * Returns by when a question is to be answered, in ms: its target counts in business hours. Null: there is no target, or
 * no day has hours.
 */
export function respondBy(
  settings: BusinessHours & { responseMinutes: number | null },
  askedAt: number,
): number | null {
  if (settings.responseMinutes === null) return null;
  let left = settings.responseMinutes * MINUTE_MS;
  if (!settings.hoursOn) return askedAt + left;
  for (const { from, to } of openSpans(settings, askedAt, RESPONSE_DAYS_MAX)) {
    if (from + left <= to) return from + left;
    left -= to - from;
  }
  return null;
}

type Span = { from: number; to: number };

/**
 * Lists the times that the team is open, in ms, from `at` on for so many days, in order and without overlaps. The clock on
 * the wall decides: an hour that it shows twice is open twice, and one that it skips is not there.
 */
function* openSpans({ timeZone, days }: BusinessHours, at: number, count: number): Generator<Span> {
  if (days.every((hours) => hours === null)) return;
  let last = at;
  for (const { from, to, offset } of steadyClocks(timeZone, at, at + count * DAY_MS)) {
    // The day before may reach into this one.
    const firstDay = Math.floor((from + offset) / DAY_MS) - 1;
    for (let day = firstDay; day * DAY_MS < to + offset; day++) {
      const hours = days[weekdayOf(day)];
      if (!hours) continue;
      const start = day * DAY_MS - offset;
      const span = {
        from: Math.max(start + hours.from * MINUTE_MS, from, last),
        to: Math.min(start + hours.to * MINUTE_MS, to),
      };
      if (span.from >= span.to) continue;
      yield span;
      last = span.to;
    }
  }
}

/** Splits a time where the clock of the zone changes. `offset` is the clock's time less UTC, in ms. */
function* steadyClocks(timeZone: string, from: number, to: number): Generator<Span & { offset: number }> {
  let at = from;
  while (at < to) {
    const offset = offsetAt(timeZone, at);
    // No zone changes its clock twice within a day.
    let end = Math.min(at + DAY_MS, to);
    if (offsetAt(timeZone, end) !== offset) end = changeBetween(timeZone, at, end, offset);
    yield { from: at, to: end, offset };
    at = end;
  }
}

/** Returns the first whole minute whose offset isn't `before`. Clocks change on whole minutes. */
function changeBetween(timeZone: string, from: number, to: number, before: number): number {
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

function offsetAt(timeZone: string, at: number): number {
  const { date, minute } = localTime(timeZone, at);
  return Date.parse(`${date}T00:00:00Z`) + minute * MINUTE_MS - Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** Returns the day of the week, Monday first, of a day since 1970, which began on a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Returns the away message, with a client id that makes it once a day, or null if there is nothing to send. */
export function awayText(
  settings: BusinessHours & { awayMessage: string },
  now: number,
): { clientId: string; message: string } | null {
  const message = settings.awayMessage.trim();
  if (message === "" || isOpen(settings, now)) return null;
  return { clientId: AWAY_PREFIX + localTime(settings.timeZone, now).date, message };
}

/** Returns the last `count` days in that time zone, the day of `now` last, with their midnights in ms. */
export function lastDays(timeZone: string, count: number, now: number): { day: string; from: number; to: number }[] {
  const today = Date.parse(`${localTime(timeZone, now).date}T00:00:00Z`);
  const midnight = (ago: number) => {
    const day = new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
    return { day, from: startOf(timeZone, day) };
  };
  return Array.from({ length: count }, (_, at) => {
    const ago = count - 1 - at;
    return { ...midnight(ago), to: midnight(ago - 1).from };
  });
}

/** By time zone: creating a format takes far longer than using it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  clocks.set(timeZone, format);
  return format;
}

function localTime(timeZone: string, at: number): { weekday: number; minute: number; date: string } {
  const parts = clockOf(timeZone).formatToParts(at);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return {
    weekday: WEEK.indexOf(part.weekday ?? ""),
    minute: Number(part.hour) * 60 + Number(part.minute),
    date: `${part.year}-${part.month}-${part.day}`,
  };
}

/** Returns when a day begins in that zone. Where the clock skips midnight, that is when it does. */
function startOf(timeZone: string, date: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const offsets = [midnight - DAY_MS, midnight + DAY_MS].map((at) => offsetAt(timeZone, at));
  const [first = midnight, second = midnight] = offsets.map((offset) => midnight - offset).sort((a, b) => a - b);
  return offsetAt(timeZone, first) === midnight - first ? first : second;
}
