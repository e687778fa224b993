import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { type SENDER_TYPES, supportMessages, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { MARK } from "./search-excerpt.ts";

const WORDS_MOST = 8;
const WORD_MOST_CHARS = 60;
/** A shorter beginning would fit most of what was ever said. */
const PREFIX_LEAST_CHARS = 2;
const PEOPLE_SHOWN = 5;

/** A message that fits. `excerpt` has MARK around each word that was asked for. */
export type Hit = {
  id: number;
  sessionId: string;
  seq: number;
  userName: string;
  senderType: (typeof SENDER_TYPES)[number];
  senderName: string;
  excerpt: string;
  createdAt: number;
};

export type Found = {
  people: { sessionId: string; userName: string; userEmail: string | null }[];
  hits: Hit[];
  /** The cursor of older hits, null at the end. */
  next: number | null;
};

/**
 * FTS5's query for what somebody typed: every word has to be there, the last one may be a beginning. Nothing in it is
 * taken for an operator. Null when there is no word.
 */
export function toQuery(text: string): string | null {
  const words = text
    .toWellFormed()
    .replaceAll("\0", " ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, WORDS_MOST)
    .map((word) => [...word].slice(0, WORD_MOST_CHARS).join(""));
  if (words.length === 0) return null;
  const last = words.at(-1) ?? "";
  const isPrefix = /[\p{L}\p{N}]$/u.test(last) && last.length >= PREFIX_LEAST_CHARS;
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ") + (isPrefix ? "*" : "");
}

/** People and messages, the newest message first: by rowid, which the index gives without looking at the rest. */
export async function search(supportDb: SupportDb, text: string, before: number | null, limit: number): Promise<Found> {
  const query = toQuery(text);
  if (query === null) return { people: [], hits: [], next: null };
  const [people, found] = await Promise.all([
    before === null ? findPeople(supportDb, query) : [],
    supportDb
      .select({
        id: supportMessages.id,
        sessionId: supportMessages.sessionId,
        seq: supportMessages.seq,
        userName: supportSessions.userName,
        senderType: supportMessages.senderType,
        senderName: supportMessages.senderName,
        excerpt: sql<string>`snippet(support_search, 0, ${MARK.from}, ${MARK.to}, '…', 16)`,
        createdAt: supportMessages.createdAt,
      })
      .from(sql`support_search`)
      .innerJoin(supportMessages, eq(supportMessages.id, sql`support_search.rowid`))
      .innerJoin(supportSessions, eq(supportSessions.sessionId, supportMessages.sessionId))
      .where(
        and(sql`support_search match ${query}`, before === null ? undefined : lt(sql`support_search.rowid`, before)),
      )
      .orderBy(desc(sql`support_search.rowid`))
      .limit(limit + 1),
  ]);
  const hits = found.slice(0, limit);
  return { people, hits, next: found.length > limit ? (hits.at(-1)?.id ?? null) : null };
}

function findPeople(supportDb: SupportDb, query: string) {
  return supportDb
    .select({
      sessionId: supportSessions.sessionId,
      userName: supportSessions.userName,
      userEmail: supportSessions.userEmail,
    })
    .from(sql`support_people_search`)
    .innerJoin(supportSessions, eq(supportSessions.id, sql`support_people_search.rowid`))
    .where(sql`support_people_search match ${query}`)
    .orderBy(desc(sql`support_people_search.rowid`))
    .limit(PEOPLE_SHOWN);
}
