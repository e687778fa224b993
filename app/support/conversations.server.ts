import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { supportMessages, supportSessions } from "#app/db/schema.server.ts";
import type { SupportMessage } from "./protocol.ts";
import type { RoomSession } from "./room-store.server.ts";

/** Columns of a message times rows stay below D1's 100 bound parameters. */
const ROWS_PER_INSERT = 16;
/** Messages that one call of `storeConversation` takes. */
export const STORE_BATCH = 10 * ROWS_PER_INSERT;
const PREVIEW_CHARS = 140;
const LIST_LIMIT = 200;

/** Copies a room's session and its next messages into D1, all or nothing. Doing it twice changes nothing. */
export async function storeConversation(db: Db, session: RoomSession, messages: SupportMessage[]): Promise<void> {
  const last = messages.at(-1);
  // Whoever answers has read what came before.
  const answered = messages.findLast((message) => message.sender_type === "admin")?.seq ?? 0;
  const row = {
    sessionId: session.session_id,
    userId: session.user_id,
    userName: session.user_name,
    userEmail: session.user_email,
    status: session.status,
    lastSeq: last?.seq ?? session.stored_seq,
    agentReadSeq: Math.max(session.agent_read_seq, answered),
    updatedAt: Math.max(session.updated_at, last?.created_at ?? 0),
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
  const upsert = db
    .insert(supportSessions)
    .values({ ...row, createdAt: session.created_at })
    .onConflictDoUpdate({ target: supportSessions.sessionId, set });
  const inserts = chunks(messages, ROWS_PER_INSERT).map((rows) =>
    db
      .insert(supportMessages)
      .values(
        rows.map((message) => ({
          sessionId: session.session_id,
          seq: message.seq,
          senderType: message.sender_type,
          senderName: message.sender_name,
          message: message.message,
          createdAt: message.created_at,
        })),
      )
      .onConflictDoNothing(),
  );
  await db.batch([upsert, ...inserts]);
}

/** Messages go with their session. */
export async function deleteConversation(db: Db, sessionId: string): Promise<void> {
  await db.delete(supportSessions).where(eq(supportSessions.sessionId, sessionId));
}

export type Conversation = Awaited<ReturnType<typeof listConversations>>[number];

/** Open first, then the newest activity. `unread`: a visitor's message that no agent has seen. */
export async function listConversations(db: Db) {
  const { id: _, createdAt: __, ...columns } = getTableColumns(supportSessions);
  const rows = await db
    .select(columns)
    .from(supportSessions)
    .orderBy(sql`${supportSessions.status} = 'closed'`, desc(supportSessions.updatedAt))
    .limit(LIST_LIMIT);
  return rows.map((row) => ({ ...row, unread: row.lastSeq > row.agentReadSeq }));
}

function chunks<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
