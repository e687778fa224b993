import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { logError } from "#app/http/log.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { makeReplyToken } from "./reply-token.server.ts";
import { unreadReplyEmail } from "./unread-reply-email.ts";

/** How long a reply stays unread before it is emailed. */
const UNREAD_FOR_MS = 3 * MINUTE_MS;
/** Replies older than this are not emailed. */
const EMAILED_WITHIN_MS = 3 * DAY_MS;
const EMAILS_PER_RUN = 25;

type Email = ReturnType<typeof unreadReplyEmail>;
/**
 * Queues an email in the main database, at most once per `onceKey`: this call and marking the replies as emailed are in
 * different databases, so that a crash between them repeats the call. Returns false if the account has no confirmed address.
 */
type QueueEmail = (
  email: Email,
  of: { userId: string | null; onceKey: string; replyTo?: (recipient: string) => string },
) => Promise<boolean>;
/** Where answers by email arrive. `secrets`: SESSION_SECRET. Null: nowhere. */
type Answers = { domain: string; secrets: string } | null;

/**
 * Queues emails to visitors with the replies they left unread: once per run of replies. The partial index holds exactly the
 * conversations that are due; the room itself decides. A conversation that is skipped, because its page is still open,
 * its account's address is not confirmed or queueing failed, goes to the end of the queue, so that it does not hold up the others.
 */
export async function emailUnreadReplies(
  supportDb: SupportDb,
  rooms: Env["SUPPORT_ROOM"],
  queue: QueueEmail,
  now: number,
  answers: Answers = null,
): Promise<void> {
  const due = await supportDb
    .select({ rowId: supportSessions.id, sessionId: supportSessions.sessionId, replyAt: supportSessions.replyAt })
    .from(supportSessions)
    // Literal, because SQLite uses a partial index only if the query repeats its condition.
    .where(
      and(
        sql`"user_email" is not null and "reply_seq" > "user_read_seq" and "emailed_seq" <= "user_read_seq"`,
        lt(supportSessions.replyAt, now - UNREAD_FOR_MS),
        gt(supportSessions.replyAt, now - EMAILED_WITHIN_MS),
      ),
    )
    .orderBy(asc(supportSessions.replyAt))
    .limit(EMAILS_PER_RUN);
  // At once, because a room that hangs must not hold up the others. It is first in line in every run.
  await Promise.all(
    due.map(async ({ rowId, sessionId, replyAt }) => {
      try {
        if (!(await email(sessionId, rowId))) await postpone(sessionId, replyAt);
      } catch (error) {
        logError("emailing unread replies failed", error, { session_id: sessionId });
        await postpone(sessionId, replyAt);
      }
    }),
  );

  /** Returns false if there is nothing to email yet. */
  async function email(sessionId: string, rowId: number): Promise<boolean> {
    const room = () => rooms.getByName(sessionId);
    const claimed = await room().claimUnreadReplies();
    if (!claimed) return false;
    const last = claimed.unread.at(-1);
    // The replies may have become too old while the visitor kept the page open.
    const isRecent = last !== undefined && last.created_at > now - EMAILED_WITHIN_MS;
    const userId = userIdOf(sessionId);
    if (isRecent) {
      // The last message read names the run of replies, also after more of them came in.
      const onceKey = `${sessionId} ${claimed.after}`;
      const email = unreadReplyEmail({ ...claimed, isAccount: userId !== null, takesAnswers: answers !== null });
      const replyTo = answers && {
        replyTo: (address: string) =>
          `${makeReplyToken(answers.secrets, { rowId, sessionId, address }, now)}@${answers.domain}`,
      };
      if (!(await queue(email, { userId, onceKey, ...replyTo }))) return false;
    }
    await room().markEmailed(claimed.upTo);
    return true;
  }

  /** Moves the conversation to the end of the queue, unless a newer reply has done so. */
  async function postpone(sessionId: string, replyAt: number): Promise<void> {
    await supportDb
      .update(supportSessions)
      .set({ replyAt: now })
      .where(and(eq(supportSessions.sessionId, sessionId), eq(supportSessions.replyAt, replyAt)));
  }
}
