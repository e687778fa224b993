/** The times (ms) from which and before which something happened. Null: no bound. */
export type TimeRange = { from: number | null; before: number | null };

export const ANY_TIME: TimeRange = { from: null, before: null };

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MAX_ZONE_CHARACTERS = 64;

/**
 * Reads the days `from` and `to`, both included, in the time zone `zone` of the reader. Anything that is no day is left
 * out, and a zone that is none is UTC.
 */
export function readDayRange(searchParams: URLSearchParams) {
  const given = searchParams.get("zone")?.slice(0, MAX_ZONE_CHARACTERS) ?? "";
  const zone = isTimeZone(given) ? given : "UTC";
  const [from, to] = [dayIn(searchParams.get("from")), dayIn(searchParams.get("to"))];
  const between: TimeRange = {
    from: from === null ? null : startOfDay(from, 0, zone),
    before: to === null ? null : startOfDay(to, 1, zone),
  };
  return { between, from: from ?? "", to: to ?? "", zone };
}

export function isAnyTime({ from, before }: TimeRange): boolean {
  return from === null && before === null;
}

function dayIn(text: string | null): string | null {
  return text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/** Returns when a day, or the one `later` days after it, starts in a time zone, in ms. */
function startOfDay(day: string, later: number, zone: string): number {
  const [, year, month, date] = DAY.exec(day) ?? [];
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(date) + later);
  // The second round is for a zone whose clock changes between the two.
  const guess = utc - offsetAt(utc, zone);
  return utc - offsetAt(guess, zone);
}

/** Returns how far the clocks of a zone are ahead of UTC at a time, in ms. */
function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(at / 1000) * 1000;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name !== "";
  } catch {
    return false;
  }
}
