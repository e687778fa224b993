/** The team's business hours. Minutes count from midnight in the team's time zone; weeks start on Monday. */

export const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const AWAY_PREFIX = "away-";
export const AWAY_MAX_CHARS = 1000;
/** No email address is longer. */
export const CONTACT_MAX_CHARS = 254;
/** A week of minutes. */
export const RESPONSE_MAX_MINUTES = 7 * DAY_MINUTES;
/** A target that the hours of so many days do not reach is none. */
const RESPONSE_DAYS_MAX = 100;
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export type SupportSettings = {
  /** Off: the team counts as always open. */
  hoursOn: boolean;
  timeZone: string;
  /** Seven, Monday first. Null: closed on that day. */
  days: ({ from: number; to: number } | null)[];
  awayMessage: string;
  /** Shown on public pages. Empty: support is by chat only. */
  contactEmail: string;
  /** How soon a question is to be answered, in minutes of business hours. Null: there is no target. */
  responseMinutes: number | null;
  /** New conversations are assigned to the agents in turn. */
  assignsInTurn: boolean;
};

const NINE_TO_SIX = { from: 9 * 60, to: 18 * 60 };
export const DEFAULT_SETTINGS: SupportSettings = {
  hoursOn: false,
  timeZone: "UTC",
  days: [NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, null, null],
  awayMessage:
    "Thanks for your message. We're away right now and will reply as soon as we're back. If you gave us your email, we'll send our reply there too.",
  contactEmail: "",
  responseMinutes: null,
  assignsInTurn: false,
};

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Formats as `09:00`, the value of a time input. */
export function clockText(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  // A time input has no 24:00.
  return minutes === DAY_MINUTES ? "23:59" : `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Formats the hours: "Monday to Friday 09:00–18:00 (Europe/Berlin)". Returns null if the team keeps none. */
export function hoursText({ hoursOn, timeZone, days }: SupportSettings): string | null {
  const runs: { from: string; to: string; hours: string }[] = [];
  for (const [at, day] of days.entries()) {
    const name = DAYS[at];
    if (!day || name === undefined) continue;
    const hours = `${clockText(day.from)}–${clockText(day.to)}`;
    const last = runs.at(-1);
    if (last?.hours === hours && last.to === DAYS[at - 1]) last.to = name;
    else runs.push({ from: name, to: name, hours });
  }
  if (!hoursOn || runs.length === 0) return null;
  const texts = runs.map(({ from, to, hours }) => `${from === to ? from : `${from} to ${to}`} ${hours}`);
  return `${texts.join(", ")} (${timeZone})`;
}

export function isOpen(settings: SupportSettings, now: number): boolean {
  if (!settings.hoursOn) return true;
  const { weekday, minute } = localTime(settings.timeZone, now);
  const hours = settings.days[weekday];
  return hours ? minute >= hours.from && minute < hours.to : false;
}

/** Returns when the team opens next, in ms. Null: it is open, or no day has hours. */
export function nextOpening(settings: SupportSettings, now: number): number | null {
  if (isOpen(settings, now)) return null;
  for (const { from } of spansFrom(settings, now, 8)) if (from > now) return from;
  return null;
}

/**
 * Returns by when a question is to be answered, in ms: its target counts in business hours. Null: there is no target, or
 * no day has hours.
 */
export function respondBy(settings: SupportSettings, askedAt: number): number | null {
  if (settings.responseMinutes === null) return null;
  let left = settings.responseMinutes * MINUTE_MS;
  if (!settings.hoursOn) return askedAt + left;
  for (const { from, to } of spansFrom(settings, askedAt, RESPONSE_DAYS_MAX)) {
    const start = Math.max(from, askedAt);
    if (start + left <= to) return start + left;
    left -= Math.max(0, to - start);
  }
  return null;
}

/** Lists the business hours of that many days of the calendar, from the day of `at` on. */
function* spansFrom(
  { timeZone, days }: SupportSettings,
  at: number,
  count: number,
): Generator<{ from: number; to: number }> {
  // By the calendar: a day of a clock change doesn't have 24 hours.
  const today = Date.parse(`${localTime(timeZone, at).date}T00:00:00Z`);
  if (days.every((hours) => hours === null)) return;
  for (let ahead = 0; ahead < count; ahead++) {
    const day = new Date(today + ahead * DAY_MS);
    const hours = days[(day.getUTCDay() + 6) % 7];
    if (!hours) continue;
    const date = day.toISOString().slice(0, 10);
    // A time input has no 24:00.
    const end = hours.to === DAY_MINUTES - 1 ? DAY_MINUTES : hours.to;
    yield { from: instantOf(timeZone, date, hours.from), to: instantOf(timeZone, date, end) };
  }
}

/** Returns the away message, with a client id that makes it once a day, or null if there is nothing to send. */
export function awayText(settings: SupportSettings, now: number): { clientId: string; message: string } | null {
  const message = settings.awayMessage.trim();
  if (message === "" || isOpen(settings, now)) return null;
  return { clientId: AWAY_PREFIX + localTime(settings.timeZone, now).date, message };
}

/** Returns the last `count` days in that time zone, the day of `now` last, with their midnights in ms. */
export function lastDays(timeZone: string, count: number, now: number): { day: string; from: number; to: number }[] {
  const today = Date.parse(`${localTime(timeZone, now).date}T00:00:00Z`);
  const midnight = (ago: number) => {
    const day = new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
    return { day, from: instantOf(timeZone, day, 0) };
  };
  return Array.from({ length: count }, (_, at) => {
    const ago = count - 1 - at;
    return { ...midnight(ago), to: midnight(ago - 1).from };
  });
}

function localTime(timeZone: string, at: number): { weekday: number; minute: number; date: string } {
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
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    weekday: WEEK.indexOf(part.weekday ?? ""),
    minute: Number(part.hour) * 60 + Number(part.minute),
    date: `${part.year}-${part.month}-${part.day}`,
  };
}

/** Returns the instant at which a clock in that zone shows this date and minute. */
function instantOf(timeZone: string, date: string, minute: number): number {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minute * MINUTE_MS;
  let at = wanted;
  // Twice: the first guess may lie across a daylight saving change.
  for (let turn = 0; turn < 2; turn++) {
    const shown = localTime(timeZone, at);
    at += wanted - (Date.parse(`${shown.date}T00:00:00Z`) + shown.minute * MINUTE_MS);
  }
  return at;
}
