import { and, asc, lt, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { log } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";

/** The cookie that gives a visitor access to a conversation lasts as long. */
export const MIN_KEPT_DAYS = 180;
export const MAX_KEPT_DAYS = 3650;
/** Each is one call of a room. At 3,000 messages a day, about 400 conversations are closed. */
export const DELETED_PER_NIGHT = 1000;
const AT_ONCE = 5;

type Rooms = Env["SUPPORT_ROOM"];

/**
 * Parses CONVERSATIONS_KEPT_DAYS: how long a closed conversation is kept. Returns null if it is not set, which keeps all.
 * Throws for anything else that is not a number of days: a typing error must not delete.
 */
export function keptDaysOf(setting: string | undefined): number | null {
  if (setting === undefined || setting === "") return null;
  const days = announcedDaysOf(setting);
  if (days !== null) return days;
  throw new Error(`CONVERSATIONS_KEPT_DAYS must be a number from ${MIN_KEPT_DAYS} to ${MAX_KEPT_DAYS}, or empty`);
}

/** Returns the days that the privacy policy names. Null if nothing is deleted: without the setting, or with a wrong one. */
export function announcedDaysOf(setting: string | undefined): number | null {
  const days = Number(setting);
  return Number.isInteger(days) && days >= MIN_KEPT_DAYS && days <= MAX_KEPT_DAYS ? days : null;
}

/**
 * Deletes conversations that were closed so long ago, oldest first, with their files, and returns their number. A blocked
 * one stays, because the block would end with it. The room decides: it knows of a message that D1 doesn't have yet.
 */
export async function deleteClosedConversations(
  supportDb: SupportDb,
  rooms: Rooms,
  keptDays: number | null,
  now = Date.now(),
): Promise<number> {
  if (keptDays === null) return 0;
  const before = now - keptDays * DAY_MS;
  const due = await supportDb
    .select({ sessionId: supportSessions.sessionId })
    .from(supportSessions)
    // Literal, because SQLite uses a partial index only if the query repeats its condition.
    .where(and(sql`${supportSessions.status} = 'closed'`, lt(supportSessions.updatedAt, before), sql`"blocked" = 0`))
    .orderBy(asc(supportSessions.updatedAt))
    .limit(DELETED_PER_NIGHT);
  let deleted = 0;
  for (let at = 0; at < due.length; at += AT_ONCE) {
    const calls = due
      .slice(at, at + AT_ONCE)
      .map(({ sessionId }) => rooms.getByName(sessionId).deleteIfClosedBefore(sessionId, before));
    deleted += (await Promise.all(calls)).filter((isDeleted) => isDeleted).length;
  }
  if (due.length > 0) log("info", "closed conversations deleted", { due: due.length, deleted });
  return deleted;
}
