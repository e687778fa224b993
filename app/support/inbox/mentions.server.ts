import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportMentions, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import type { Note } from "#app/support/protocol/console-frames.ts";
import { type ListedMention, MENTIONS_COUNTED } from "./inbox-view.ts";

const LISTED = 30;
const EXCERPT_CHARS = 200;

const { sessionId, noteNo, agentId, createdAt, readAt } = supportMentions;
const MENTION = {
  sessionId,
  noteNo,
  userName: supportSessions.userName,
  authorName: supportNotes.authorName,
  createdAt,
};
const OF_NOTE = and(eq(supportNotes.sessionId, sessionId), eq(supportNotes.no, noteNo));

/** Selects an agent's unread mentions, newest first: one more than are counted. */
export function selectUnreadMentions(supportDb: SupportDb, agent: string) {
  return (
    supportDb
      .select(MENTION)
      .from(supportMentions)
      .innerJoin(supportSessions, eq(supportSessions.sessionId, sessionId))
      .innerJoin(supportNotes, OF_NOTE)
      // Literal, because SQLite uses a partial index only if the query repeats its condition.
      .where(and(eq(agentId, agent), sql`"support_mentions"."read_at" is null`))
      .orderBy(desc(createdAt))
      .limit(MENTIONS_COUNTED + 1)
  );
}

/** Selects the unread mentions of all agents in the conversations that `ids` selects. */
export function selectUnreadMentionsIn(supportDb: SupportDb, ids: SQL) {
  return supportDb
    .select({ ...MENTION, agentId })
    .from(supportMentions)
    .innerJoin(supportSessions, eq(supportSessions.sessionId, sessionId))
    .innerJoin(supportNotes, OF_NOTE)
    .where(and(inArray(sessionId, ids), isNull(readAt)));
}

/** Lists an agent's last mentions, read ones too, newest first. */
export async function listMentions(supportDb: SupportDb, agent: string): Promise<ListedMention[]> {
  const rows = await supportDb
    .select({ ...MENTION, excerpt: sql<string>`substr(${supportNotes.body}, 1, ${EXCERPT_CHARS})`, readAt })
    .from(supportMentions)
    .innerJoin(supportSessions, eq(supportSessions.sessionId, sessionId))
    .innerJoin(supportNotes, OF_NOTE)
    .where(eq(agentId, agent))
    .orderBy(desc(createdAt))
    .limit(LISTED);
  return rows.map(({ readAt: at, ...mention }) => ({ ...mention, unread: at === null }));
}

/** Marks an agent's mentions in a conversation as read. */
export async function readMentions(supportDb: SupportDb, agent: string, session: string, now: number): Promise<void> {
  await supportDb
    .update(supportMentions)
    .set({ readAt: now })
    .where(and(eq(sessionId, session), eq(agentId, agent), isNull(readAt)));
}

/** Returns a conversation's notes with the mentions marked that D1 knows to be read. */
export async function withReadMentions(supportDb: SupportDb, session: string, notes: Note[]): Promise<Note[]> {
  if (notes.every(({ mentions }) => mentions.length === 0)) return notes;
  const rows = await supportDb
    .select({ noteNo, agentId })
    .from(supportMentions)
    .where(and(eq(sessionId, session), isNotNull(readAt)));
  const isRead = (no: number, agent: string) => rows.some((row) => row.noteNo === no && row.agentId === agent);
  return notes.map((note) => ({
    ...note,
    mentions: note.mentions.map((one) => (isRead(note.no, one.id) ? { ...one, isRead: true as const } : one)),
  }));
}
