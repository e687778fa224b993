import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportMentions, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { escapeHtml, textToHtml } from "#app/email/escape-html.ts";
import { logError } from "#app/http/log.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";

/** How long a mention stays unread before it is emailed. */
export const MENTION_UNREAD_MS = 5 * MINUTE_MS;
/** Older ones are not emailed. */
const EMAILED_WITHIN_MS = 3 * DAY_MS;
const EMAILS_PER_RUN = 25;

type Email = { subject: string; text: string; html: string };
/** Queues an email to a member of the team, at most once per `onceKey`. */
type QueueEmail = (email: Email, of: { userId: string; onceKey: string }) => Promise<void>;

/**
 * Emails the agents whom a note mentions and who have not opened its conversation within five minutes, once for each
 * mention. `origin`: the site's, for the link.
 */
export async function emailMentions(
  supportDb: SupportDb,
  queue: QueueEmail,
  { now, origin }: { now: number; origin: string },
): Promise<void> {
  const { sessionId, noteNo, agentId, createdAt } = supportMentions;
  const due = await supportDb
    .select({
      sessionId,
      noteNo,
      agentId,
      createdAt,
      authorId: supportNotes.authorId,
      author: supportNotes.authorName,
      body: supportNotes.body,
      visitor: supportSessions.userName,
    })
    .from(supportMentions)
    .innerJoin(supportSessions, eq(supportSessions.sessionId, sessionId))
    .innerJoin(supportNotes, and(eq(supportNotes.sessionId, sessionId), eq(supportNotes.no, noteNo)))
    // Literal, because SQLite uses a partial index only if the query repeats its condition.
    .where(
      and(
        sql`"support_mentions"."read_at" is null and "support_mentions"."emailed_at" is null`,
        lt(createdAt, now - MENTION_UNREAD_MS),
        gt(createdAt, now - EMAILED_WITHIN_MS),
      ),
    )
    .orderBy(asc(createdAt))
    .limit(EMAILS_PER_RUN);
  for (const mention of due) {
    try {
      // The same after a visitor logged in, when the note has moved to the account's conversation.
      const onceKey = `${mention.authorId} ${mention.createdAt} ${mention.agentId}`;
      await queue(mentionEmail({ ...mention, origin }), { userId: mention.agentId, onceKey });
      await supportDb
        .update(supportMentions)
        .set({ emailedAt: now })
        .where(and(eq(sessionId, mention.sessionId), eq(noteNo, mention.noteNo), eq(agentId, mention.agentId)));
    } catch (error) {
      logError("emailing a mention failed", error, { session_id: mention.sessionId });
    }
  }
}

function mentionEmail(of: { sessionId: string; author: string; body: string; visitor: string; origin: string }): Email {
  const { sessionId, author, body, visitor, origin } = of;
  const lead = `${author} mentioned you in a team note on the conversation with ${visitor}:`;
  const link = `${origin}/admin/support/${sessionId}`;
  return {
    subject: `${author} mentioned you in ${PRODUCT_NAME} support`,
    text: `${lead}\n\n${body}\n\nOpen the conversation:\n${link}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p><blockquote>${textToHtml(body)}</blockquote><p>Open the conversation:<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></body></html>`,
  };
}
