import { eq, sql } from "drizzle-orm";
import { audit } from "#app/db/audit.server.ts";
import type { Db, SupportDb } from "#app/db/db.server.ts";
import { supportCases, supportMessages, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import type { Stored } from "./conversation-triage.server.ts";
import type { RoomSession } from "./room-store.server.ts";

/** Messages that one call of `storeConversation` takes: even of 4,000 escaped characters each, below D1's 2 MB a parameter. */
export const STORE_BATCH = 50;
const PREVIEW_CHARS = 140;

/**
 * Copies a room's session, its next messages and what the team did into D1, all or nothing. Doing it twice changes
 * nothing.
 */
export async function storeConversation(
  supportDb: SupportDb,
  session: RoomSession,
  messages: SupportMessage[],
  stored: Stored,
): Promise<void> {
  const last = messages.at(-1);
  // Whoever answers has read what came before.
  const answer = messages.findLast((message) => message.sender_type === "admin");
  const { assignee, tags, blocked } = stored.triage;
  const row = {
    sessionId: session.session_id,
    userId: session.user_id,
    userName: session.user_name,
    userEmail: session.user_email,
    status: session.status,
    lastSeq: last?.seq ?? session.stored_seq,
    agentReadSeq: Math.max(session.agent_read_seq, answer?.seq ?? 0),
    updatedAt: Math.max(session.updated_at, last?.created_at ?? 0),
    assigneeId: assignee?.id ?? null,
    assigneeName: assignee?.name ?? null,
    blocked,
    tags,
    userReadSeq: session.user_read_seq,
    emailedSeq: stored.emailedSeq,
    ...(answer && { replySeq: answer.seq, replyAt: answer.created_at }),
    ...(last && { lastMessage: last.message.slice(0, PREVIEW_CHARS).toWellFormed() }),
  };
  // A late retry must not turn a newer row back.
  const { sessionId: _, updatedAt, lastSeq, agentReadSeq, ...rest } = row;
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
 * Writes what the team did to the audit log, which is in the main database and so in no batch with the conversation.
 * Each entry has a key of its own: doing it twice changes nothing.
 */
export async function storeAuditEntries(db: Db, session: RoomSession, entries: Stored["auditEntries"]): Promise<void> {
  const [first, ...others] = entries.map(({ id, actor, action, detail }) =>
    audit(
      db,
      { userId: actor.id, name: actor.name },
      { action, subject: "conversation", subjectId: session.session_id, detail, onceKey: `${session.epoch}:${id}` },
    ).onConflictDoNothing(),
  );
  if (first) await db.batch([first, ...others]);
}

/** Messages go with their session. */
export async function deleteConversation(supportDb: SupportDb, sessionId: string): Promise<void> {
  await supportDb.delete(supportSessions).where(eq(supportSessions.sessionId, sessionId));
}

/** What the team did. The room's own numbers make each of it once. */
function triageStatements(supportDb: SupportDb, session: RoomSession, { notes, cases }: Stored) {
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

/** As one parameter: each of D1's costs more than what is in it. */
function insertMessages(supportDb: SupportDb, sessionId: string, messages: SupportMessage[]) {
  const of = (key: keyof SupportMessage) => sql.raw(`line.value ->> '${key}'`);
  return supportDb
    .insert(supportMessages)
    .select(
      sql`select null, ${sessionId}, ${of("seq")}, ${of("sender_type")}, ${of("sender_name")}, ${of("message")}, ${of("created_at")}
        from json_each(${JSON.stringify(messages)}) as line where true order by line.key`,
    )
    .onConflictDoNothing();
}
