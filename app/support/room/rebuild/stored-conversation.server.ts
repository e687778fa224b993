import { asc, eq } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportCases, supportMessages, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";

/** Everything that the support database has of a conversation: what its room stored there, seconds behind. */
export type StoredConversation = {
  session: typeof supportSessions.$inferSelect;
  messages: (typeof supportMessages.$inferSelect)[];
  notes: (typeof supportNotes.$inferSelect)[];
  cases: (typeof supportCases.$inferSelect)[];
};

export async function readStoredConversation(db: SupportDb, sessionId: string): Promise<StoredConversation | null> {
  const [[session], messages, notes, cases] = await db.batch([
    db.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId)),
    db.select().from(supportMessages).where(eq(supportMessages.sessionId, sessionId)).orderBy(asc(supportMessages.seq)),
    db.select().from(supportNotes).where(eq(supportNotes.sessionId, sessionId)).orderBy(asc(supportNotes.no)),
    db.select().from(supportCases).where(eq(supportCases.sessionId, sessionId)).orderBy(asc(supportCases.no)),
  ]);
  return session ? { session, messages, notes, cases } : null;
}

/** Ids that the database does not have. A repeated message is recognized by its own; nobody repeats one that old. */
const REBUILT = "rebuilt";

/**
 * Writes a conversation into a room's tables, in place of what is there. `welcome`: author and client id of the bot's first
 * message, which must not come twice. Nothing in it is due: no reply is announced again, no question gets another turn.
 */
export function writeStoredConversation(
  sql: SqlStorage,
  { session, messages, notes, cases }: StoredConversation,
  { welcome, origin }: { welcome: { author: string; clientId: string }; origin: string },
): void {
  for (const table of ["files", "messages", "notes", "cases", "session"]) sql.exec(`DELETE FROM ${table}`);
  sql.exec(
    `INSERT INTO session (id, epoch, session_id, user_id, user_name, user_email, status, user_read_seq, agent_read_seq,
       created_at, updated_at)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    crypto.randomUUID(),
    session.sessionId,
    session.userId,
    session.userName,
    session.userEmail,
    session.status,
    session.userReadSeq,
    session.agentReadSeq,
    session.createdAt,
    session.updatedAt,
  );
  for (const { seq, senderType, senderName, message, file, createdAt } of messages) {
    const isWelcome = seq === 1 && senderType === "system";
    const author = senderType === "user" ? session.sessionId : senderType === "system" ? welcome.author : REBUILT;
    sql.exec(
      `INSERT INTO messages (seq, author, client_id, sender_type, sender_name, message, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      seq,
      author,
      isWelcome ? welcome.clientId : `${REBUILT}:${seq}`,
      senderType,
      senderName,
      message,
      createdAt,
    );
    if (file === null) continue;
    const { id, type, size } = JSON.parse(file) as { id: string; type: string; size: number };
    sql.exec("INSERT INTO files VALUES (?, ?, ?, ?)", seq, id, type, size);
  }
  for (const { no, authorId, authorName, body, createdAt } of notes) {
    sql.exec(
      `INSERT INTO notes (no, author_id, client_id, author_name, body, created_at, version) VALUES (?, ?, ?, ?, ?, ?, 1)`,
      no,
      authorId,
      `${REBUILT}:${no}`,
      authorName,
      body,
      createdAt,
    );
  }
  for (const one of cases) {
    sql.exec(
      `INSERT INTO cases (no, started_at, first_reply_at, agent_id, agent_name, closed_at, rating, rated_at, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)`,
      one.no,
      one.startedAt,
      one.firstReplyAt,
      one.agentId,
      one.agentName,
      one.closedAt,
      one.rating,
      one.ratedAt,
    );
  }
  const lastSeq = messages.at(-1)?.seq ?? 0;
  sql.exec(
    `UPDATE triage SET assignee_id = ?, assignee_name = ?, tags = ?, blocked = ?, emailed_seq = ?, origin = ?,
       snoozed_until = ?, pushed_seq = ?, turn_case = ?`,
    session.assigneeId,
    session.assigneeName,
    JSON.stringify(session.tags),
    session.blocked ? 1 : 0,
    session.emailedSeq,
    origin,
    session.snoozedUntil,
    lastSeq,
    cases.at(-1)?.no ?? 0,
  );
  sql.exec("UPDATE away_check SET seq = ?", lastSeq);
}
