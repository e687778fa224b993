import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { logError } from "#app/http/log.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { unreadReplyEmail } from "./unread-reply-email.ts";

/** An answer that stays unread for so long is mailed. */
const UNREAD_FOR_MS = 3 * 60_000;
/** An older one is no news any more. */
const MAILED_WITHIN_MS = 3 * 24 * 60 * 60_000;
const MAILS_AT_ONCE = 25;

type Email = ReturnType<typeof unreadReplyEmail>;

/**
 * Mails visitors who have left what they were answered since: once for each run of answers that they did not read. The
 * index holds those that are due and nothing else; the room itself decides. Who is not mailed now, because the page is
 * still open or the mail failed, goes to the end of the queue, so that nobody waits behind them.
 */
export async function emailUnreadReplies(
  supportDb: SupportDb,
  rooms: Env["SUPPORT_ROOM"],
  send: (mail: Email) => Promise<void>,
  now: number,
): Promise<void> {
  const due = await supportDb
    .select({ sessionId: supportSessions.sessionId, replyAt: supportSessions.replyAt })
    .from(supportSessions)
    // Literal, so that SQLite sees that the partial index holds all that is asked for.
    .where(
      and(
        sql`"user_email" is not null and "reply_seq" > "user_read_seq" and "emailed_seq" <= "user_read_seq"`,
        lt(supportSessions.replyAt, now - UNREAD_FOR_MS),
        gt(supportSessions.replyAt, now - MAILED_WITHIN_MS),
      ),
    )
    .orderBy(asc(supportSessions.replyAt))
    .limit(MAILS_AT_ONCE);
  for (const { sessionId, replyAt } of due) {
    try {
      if (!(await mail(sessionId))) await lookAgainLater(sessionId, replyAt);
    } catch (error) {
      logError("a visitor who left was not mailed", error, { session_id: sessionId });
      await lookAgainLater(sessionId, replyAt);
    }
  }

  /** False when there is nothing to mail now. */
  async function mail(sessionId: string): Promise<boolean> {
    const room = rooms.getByName(sessionId);
    const claimed = await room.claimUnreadReplies();
    if (!claimed) return false;
    const last = claimed.unread.at(-1);
    // It was no news any more when the visitor left at last.
    const isNews = last !== undefined && last.created_at > now - MAILED_WITHIN_MS;
    if (isNews) await send(unreadReplyEmail({ ...claimed, signedIn: userIdOf(sessionId) !== null }));
    await room.mailed(claimed.upTo);
    return true;
  }

  /** A newer answer has set its own time. */
  async function lookAgainLater(sessionId: string, replyAt: number): Promise<void> {
    await supportDb
      .update(supportSessions)
      .set({ replyAt: now })
      .where(and(eq(supportSessions.sessionId, sessionId), eq(supportSessions.replyAt, replyAt)));
  }
}
