import { eq, sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import { audit } from "#app/db/audit.server.ts";
import type { Db, SupportDb } from "#app/db/db.server.ts";
import {
  supportCases,
  supportMentions,
  supportMessages,
  supportNotes,
  supportSessions,
} from "#app/db/schema/support-tables.server.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import type { TriageToStore } from "./conversation-triage.server.ts";
import type { AuditEntry } from "./room-audit.server.ts";
import type { RoomSession } from "./session-row.server.ts";

/** Messages per `storeConversation`. Even at 4,000 escaped characters each they stay below D1's 2 MB per parameter. */
export const STORE_BATCH = 50;
const PREVIEW_CHARS = 140;

/** Copies a room's session, its next messages, notes and cases into D1 in one batch. Safe to repeat. */
export async function storeConversation(
  supportDb: SupportDb,
  session: RoomSession,
  messages: SupportMessage[],
  stored: TriageToStore,
): Promise<void> {
  const last = messages.at(-1);
  // Replying counts as having read what came before.
  const reply = messages.findLast((message) => message.sender_type === "admin");
  const { assignee, tags, blocked, snoozedUntil } = stored.triage;
  const row = {
    sessionId: session.session_id,
    userId: session.user_id,
    userName: session.user_name,
    userEmail: session.user_email,
    status: session.status,
    lastSeq: last?.seq ?? session.stored_seq,
    agentReadSeq: Math.max(session.agent_read_seq, reply?.seq ?? 0),
    updatedAt: Math.max(session.updated_at, last?.created_at ?? 0),
    assigneeId: assignee?.id ?? null,
    assigneeName: assignee?.name ?? null,
    blocked,
    tags,
    snoozedUntil,
    respondBy: stored.respondBy,
    userReadSeq: session.user_read_seq,
    emailedSeq: stored.emailedSeq,
    ...(reply && { replySeq: reply.seq, replyAt: reply.created_at }),
    ...(last && { lastMessage: cutText(last.message, PREVIEW_CHARS).toWellFormed() }),
  };
  // A late retry must not overwrite a newer row. The user never changes, and naming the column would write its index.
  const { sessionId: _, userId: _user, updatedAt, lastSeq, agentReadSeq, ...rest } = row;
  const set = {
    ...rest,
    lastSeq: sql`max(${supportSessions.lastSeq}, ${lastSeq})`,
    agentReadSeq: sql`max(${supportSessions.agentReadSeq}, ${agentReadSeq})`,
    updatedAt: sql`max(${supportSessions.updatedAt}, ${updatedAt})`,
  };
  const upsert = supportDb
    .insert(supportSessions)
    .values({ ...row, createdAt: session.created_at })
    .onConflictDoUpdate({ target: supportSessions.sessionId, set });
  const inserts = messages.length > 0 ? [insertMessages(supportDb, session.session_id, messages)] : [];
  await supportDb.batch([upsert, ...inserts, ...triageStatements(supportDb, session, stored)]);
}

/**
 * Writes a room's audit entries to the audit log. It is in the main database, so no batch spans it and the conversation.
 * Safe to repeat: each entry has a unique key.
 */
export async function storeAuditEntries(db: Db, sessionId: string, entries: AuditEntry[]): Promise<void> {
  const [first, ...others] = entries.map(({ key, actor, action, detail }) =>
    audit(
      db,
      { userId: actor.id, name: actor.name },
      { action, subject: "conversation", subjectId: sessionId, detail, onceKey: key },
    ).onConflictDoNothing(),
  );
  if (first) await db.batch([first, ...others]);
}

/** Deletes a session; its messages, notes and cases cascade. */
export async function deleteConversation(supportDb: SupportDb, sessionId: string): Promise<void> {
  await supportDb.delete(supportSessions).where(eq(supportSessions.sessionId, sessionId));
}

/** Inserts notes with their mentions, and cases. The room's own numbers keep each of them unique. */
function triageStatements(supportDb: SupportDb, session: RoomSession, { notes, cases }: TriageToStore) {
  const sessionId = session.session_id;
  return [
    ...notes.map((note) =>
      supportDb
        .insert(supportNotes)
        .values({
          sessionId,
          no: note.no,
          authorId: note.author_id,
          authorName: note.author_name,
          body: note.body,
          createdAt: note.created_at,
        })
        .onConflictDoNothing(),
    ),
    ...notes.flatMap(({ no, author_id, mentions, created_at: createdAt }) =>
      mentions
        .filter(({ id }) => id !== author_id)
        .map(({ id: agentId, isRead }) =>
          supportDb
            .insert(supportMentions)
            .values({ sessionId, noteNo: no, agentId, createdAt, readAt: isRead ? createdAt : null })
            .onConflictDoNothing(),
        ),
    ),
    ...cases.map((one) => {
      const row = {
        startedAt: one.started_at,
        firstReplyAt: one.first_reply_at,
        agentId: one.agent_id,
        agentName: one.agent_name,
        closedAt: one.closed_at,
        rating: one.rating,
        ratedAt: one.rated_at,
      };
      return supportDb
        .insert(supportCases)
        .values({ sessionId, no: one.no, ...row })
        .onConflictDoUpdate({ target: [supportCases.sessionId, supportCases.no], set: row });
    }),
  ];
}

/** Inserts all messages from one JSON parameter: each bound parameter costs D1 more than its content does. */
function insertMessages(supportDb: SupportDb, sessionId: string, messages: SupportMessage[]) {
  const of = (key: keyof SupportMessage) => sql.raw(`item.value ->> '${key}'`);
  return supportDb
    .insert(supportMessages)
    .select(
      sql`select null, ${sessionId}, ${of("seq")}, ${of("sender_type")}, ${of("sender_name")}, ${of("message")}, ${of("file")},
        ${of("created_at")}
        from json_each(${JSON.stringify(messages)}) as item where true order by item.key`,
    )
    .onConflictDoNothing();
}
