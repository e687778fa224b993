import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { type SENDER_TYPES, supportMessages, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { ftsPhrase } from "#app/http/lists/full-text.ts";
import { MARK } from "./search-excerpt.ts";

const WORDS_MAX = 8;
const WORD_MAX_CHARS = 60;
/** A shorter prefix would match most messages. */
const PREFIX_MIN_CHARS = 2;
const PEOPLE_SHOWN = 5;

/** A matching message. `excerpt` has MARK around each matching word. */
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
  /** Cursor of older hits, null at the end. */
  next: number | null;
};

/**
 * Returns the FTS5 query for what an agent typed: every word must match, the last one as a prefix. Nothing in it acts as
 * an operator. Null: it has no word.
 */
export function toQuery(text: string): string | null {
  const words = text
    .split(/[\s\p{Cc}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, WORDS_MAX)
    .map((word) => [...word].slice(0, WORD_MAX_CHARS).join(""));
  if (words.length === 0) return null;
  const last = words.at(-1) ?? "";
  const isPrefix = /[\p{L}\p{N}]$/u.test(last) && last.length >= PREFIX_MIN_CHARS;
  return words.map(ftsPhrase).join(" ") + (isPrefix ? "*" : "");
}

/** Returns the query for people. An address with a domain in another script is stored in its normal form. */
function toPeopleQuery(text: string): string | null {
  const [asTyped, asStored] = [toQuery(text), toQuery(lookupEmail(text))];
  return asTyped === asStored ? asTyped : `(${asTyped}) OR (${asStored})`;
}

/**
 * Finds people and messages, newest first: the index returns them by rowid without reading the rest. `isWanted`: a
 * condition on the conversations, with which no people are found.
 */
export async function search(
  supportDb: SupportDb,
  text: string,
  before: number | null,
  limit: number,
  isWanted?: SQL,
): Promise<Found> {
  const query = toQuery(text);
  if (query === null) return { people: [], hits: [], next: null };
  const [people, found] = await Promise.all([
    before === null && !isWanted ? findPeople(supportDb, text, PEOPLE_SHOWN) : [],
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
        and(
          sql`support_search match ${query}`,
          before === null ? undefined : lt(sql`support_search.rowid`, before),
          isWanted,
          isWanted && sql`support_search.rowid in (${newestHits(query)})`,
        ),
      )
      .orderBy(desc(sql`support_search.rowid`))
      .limit(limit + 1),
  ]);
  const hits = found.slice(0, limit);
  return { people, hits, next: found.length > limit ? (hits.at(-1)?.id ?? null) : null };
}

/** With a condition on conversations, so many of the newest hits are looked through. */
const FILTERED_HITS_MAX = 1000;

function newestHits(query: string): SQL {
  return sql`select rowid from support_search where support_search match ${query} order by rowid desc limit ${FILTERED_HITS_MAX}`;
}

/** Finds conversations by the visitor's name or email, as `search` does, newest first. */
export async function findPeople(supportDb: SupportDb, text: string, limit: number): Promise<Found["people"]> {
  const query = toPeopleQuery(text);
  if (query === null) return [];
  return await supportDb
    .select({
      sessionId: supportSessions.sessionId,
      userName: supportSessions.userName,
      userEmail: supportSessions.userEmail,
    })
    .from(sql`support_people_search`)
    .innerJoin(supportSessions, eq(supportSessions.id, sql`support_people_search.rowid`))
    .where(sql`support_people_search match ${query}`)
    .orderBy(desc(sql`support_people_search.rowid`))
    .limit(limit);
}
