import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { ownOrders } from "./order-rows.server.ts";

/** The times (ms) from which and before which orders were placed. Null: no bound. */
export type PlacedBetween = { from: number | null; before: number | null };

export const ANY_TIME: PlacedBetween = { from: null, before: null };

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MAX_ZONE_CHARACTERS = 64;

/**
 * Reads the days `from` and `to`, both included, in the time zone `zone` of the reader. Anything that is no day is left
 * out, and a zone that is none is UTC.
 */
export function readPlacedBetween(searchParams: URLSearchParams) {
  const given = searchParams.get("zone")?.slice(0, MAX_ZONE_CHARACTERS) ?? "";
  const zone = isTimeZone(given) ? given : "UTC";
  const [from, to] = [dayIn(searchParams.get("from")), dayIn(searchParams.get("to"))];
  const between: PlacedBetween = {
    from: from === null ? null : startOfDay(from, 0, zone),
    before: to === null ? null : startOfDay(to, 1, zone),
  };
  return { between, from: from ?? "", to: to ?? "", zone };
}

/**
 * Returns the condition of orders placed between two times, by their ids: a customer's ids grow with the time, so a search
 * by halves in the index of their orders finds where a time begins. See docs/decisions/pages/0059-orders-by-date.md.
 */
export async function placedBetween(db: Db, userId: string, between: PlacedBetween): Promise<SQL | undefined> {
  if (isAnyTime(between)) return undefined;
  const [ids] = await db.all<{ low: number; high: number | null }>(idsPlacedBetween(userId, between));
  const { low = 0, high = null } = ids ?? {};
  return and(gte(orders.id, low), high === null ? undefined : lt(orders.id, high));
}

export function isAnyTime({ from, before }: PlacedBetween): boolean {
  return from === null && before === null;
}

/** Selects the `low` id of orders placed between two times, and the `high` one, which is not among them, or null. */
export function idsPlacedBetween(userId: string, { from, before }: PlacedBetween): SQL {
  const low = from === null ? sql`0` : firstIdSince(userId, from);
  const high = before === null ? sql`null` : firstIdSince(userId, before);
  return sql`select ${low} as low, ${high} as high`;
}

/** Returns whether an order of that time is among those wanted. */
export function isPlacedBetween(at: number, { from, before }: PlacedBetween): boolean {
  return (from === null || at >= from) && (before === null || at < before);
}

/**
 * Selects the smallest id from which on all of the user's orders were placed at `time` or later. Each step reads one order,
 * and there are as many as the newest id has binary digits.
 */
function firstIdSince(userId: string, time: number): SQL {
  const own = ownOrders(userId);
  const isSince = (id: SQL) =>
    sql`coalesce((select ${orders.createdAt} >= ${time} from ${orders} where ${own} and ${orders.id} >= ${id} order by ${orders.id} limit 1), 1)`;
  const middle = sql`("low" + "high") / 2`;
  const low = sql`iif("since", "low", ${middle} + 1)`;
  const high = sql`iif("since", ${middle}, "high")`;
  return sql`(with recursive "search"("low", "high", "since") as (
    select 0, "end", ${isSince(sql`"end" / 2`)}
    from (select coalesce(max(${orders.id}), 0) + 1 as "end" from ${orders} where ${own})
    union all
    select ${low}, ${high}, ${isSince(sql`cast((${low} + ${high}) / 2 as integer)`)} from "search" where "low" < "high"
  ) select "low" from "search" where "low" >= "high")`;
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
