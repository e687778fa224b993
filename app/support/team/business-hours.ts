import * as z from "zod/mini";

/** When the team is there. Minutes count from midnight in the team's time zone; a week begins on Monday. */

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const AWAY_PREFIX = "away-";
export const AWAY_MAX_CHARS = 1000;
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const minutes = z.number().check(z.int(), z.minimum(0), z.maximum(DAY_MINUTES));
const day = z.nullable(z.object({ from: minutes, to: minutes }).check(z.refine(({ from, to }) => from < to)));

export const settingsSchema = z.object({
  /** Off: the team has no hours, and nothing is said of them. */
  hoursOn: z.boolean(),
  timeZone: z.string().check(z.refine(isTimeZone)),
  days: z.array(day).check(z.length(7)),
  awayMessage: z.string().check(z.maxLength(AWAY_MAX_CHARS)),
});
export type SupportSettings = z.infer<typeof settingsSchema>;

const NINE_TO_SIX = { from: 9 * 60, to: 18 * 60 };
export const DEFAULT_SETTINGS: SupportSettings = {
  hoursOn: false,
  timeZone: "UTC",
  days: [NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, NINE_TO_SIX, null, null],
  awayMessage:
    "Thanks for your message. We are away right now and will answer as soon as we are back. If you gave us your email, the answer reaches you there too.",
};

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** `09:00`, as a field for a time takes it. */
export function clockText(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  // A clock has no 24:00.
  return minutes === DAY_MINUTES ? "23:59" : `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export function isOpen(settings: SupportSettings, now: number): boolean {
  if (!settings.hoursOn) return true;
  const { weekday, minute } = localTime(settings.timeZone, now);
  const hours = settings.days[weekday];
  return hours ? minute >= hours.from && minute < hours.to : false;
}

/** When the team is back, in ms. Null: it is there, or no day has hours. */
export function nextOpening(settings: SupportSettings, now: number): number | null {
  if (isOpen(settings, now)) return null;
  for (let ahead = 0; ahead <= 7; ahead++) {
    const { weekday, date } = localTime(settings.timeZone, now + ahead * DAY_MS);
    const hours = settings.days[weekday];
    if (!hours) continue;
    const at = instantOf(settings.timeZone, date, hours.from);
    if (at > now) return at;
  }
  return null;
}

/** What is said to a visitor who writes outside the hours; the client id makes it once a day. Null: nothing. */
export function awayText(settings: SupportSettings, now: number): { clientId: string; message: string } | null {
  const message = settings.awayMessage.trim();
  if (message === "" || isOpen(settings, now)) return null;
  return { clientId: AWAY_PREFIX + localTime(settings.timeZone, now).date, message };
}

/** The last `count` days of that zone's calendar, the one of `now` last, with the ms of their midnights. */
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

/** The moment that a clock in that zone shows this date and minute. */
function instantOf(timeZone: string, date: string, minute: number): number {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minute * MINUTE_MS;
  let at = wanted;
  // Twice: the first guess may lie on the other side of a change of the clocks.
  for (let turn = 0; turn < 2; turn++) {
    const shown = localTime(timeZone, at);
    at += wanted - (Date.parse(`${shown.date}T00:00:00Z`) + shown.minute * MINUTE_MS);
  }
  return at;
}
