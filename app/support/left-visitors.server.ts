import { and, asc, gt, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { leftMail } from "./left-mail.ts";

/** An answer that stays unread for so long is mailed. */
const UNREAD_FOR_MS = 3 * 60_000;
/** An older one is no news any more. */
const MAILED_WITHIN_MS = 3 * 24 * 60 * 60_000;
const MAILS_AT_ONCE = 25;

type Mail = ReturnType<typeof leftMail>;

/**
 * Mails visitors who have left what they were answered since: once for each run of answers that they did not read. The
 * index holds those that are due and nothing else; the room itself decides. A mail that fails is tried again later.
 */
export async function mailLeftVisitors(
  db: Db,
  rooms: Env["SUPPORT_ROOM"],
  send: (mail: Mail) => Promise<void>,
  now: number,
): Promise<void> {
  const due = await db
    .select({ sessionId: supportSessions.sessionId })
    .from(supportSessions)
    // Literal, so that SQLite sees that the partial index holds all that is asked for.
    .where(
      and(
        sql`"user_email" is not null and "answer_seq" > "user_read_seq" and "mailed_seq" <= "user_read_seq"`,
        lt(supportSessions.answerAt, now - UNREAD_FOR_MS),
        gt(supportSessions.answerAt, now - MAILED_WITHIN_MS),
      ),
    )
    .orderBy(asc(supportSessions.answerAt))
    .limit(MAILS_AT_ONCE);
  for (const { sessionId } of due) {
    try {
      const room = rooms.getByName(sessionId);
      const claimed = await room.claimMail();
      if (!claimed) continue;
      await send(leftMail(claimed));
      await room.mailed(claimed.upTo);
    } catch (error) {
      logError("a visitor who left was not mailed", error, { session_id: sessionId });
    }
  }
}
