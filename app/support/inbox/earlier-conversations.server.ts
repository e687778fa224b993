import { and, desc, eq, isNotNull, ne, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportCases, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { toQuery } from "./message-search.server.ts";

const SHOWN = 5;

/** What the visitor of a conversation has asked before. Times in ms. */
export type Earlier = {
  /** Questions of the same conversation that are closed, newest first. */
  questions: {
    no: number;
    startedAt: number;
    closedAt: number | null;
    agentName: string | null;
    rating: string | null;
  }[];
  /** Other conversations with the same email address, newest first. */
  others: { sessionId: string; userName: string; status: "open" | "closed"; updatedAt: number; isAccount: boolean }[];
};

/** Reads both in one trip. `email`: as the visitor gave it, or their account's. */
export async function readEarlier(supportDb: SupportDb, sessionId: string, email: string | null): Promise<Earlier> {
  const closed = supportDb
    .select({
      no: supportCases.no,
      startedAt: supportCases.startedAt,
      closedAt: supportCases.closedAt,
      agentName: supportCases.agentName,
      rating: supportCases.rating,
    })
    .from(supportCases)
    .where(and(eq(supportCases.sessionId, sessionId), isNotNull(supportCases.closedAt)))
    .orderBy(desc(supportCases.no))
    .limit(SHOWN);
  const [questions, others] = await supportDb.batch([closed, withEmail(supportDb, sessionId, email)]);
  return { questions, others: others.map((one) => ({ ...one, isAccount: one.isAccount === 1 })) };
}

/**
 * Finds the address by the index of words, which exists for the search: an index of addresses would cost another written
 * row per message.
 */
function withEmail(supportDb: SupportDb, sessionId: string, email: string | null) {
  const words = email === null ? null : toQuery(email)?.replace(/\*$/, "");
  return supportDb
    .select({
      sessionId: supportSessions.sessionId,
      userName: supportSessions.userName,
      status: supportSessions.status,
      updatedAt: supportSessions.updatedAt,
      isAccount: sql<number>`${supportSessions.userId} is not null`,
    })
    .from(sql`support_people_search`)
    .innerJoin(supportSessions, eq(supportSessions.id, sql`support_people_search.rowid`))
    .where(
      and(
        // A query without a word matches nothing.
        sql`support_people_search match ${words ? `user_email : ${words}` : '""'}`,
        sql`${supportSessions.userEmail} = ${email} collate nocase`,
        ne(supportSessions.sessionId, sessionId),
      ),
    )
    .orderBy(desc(sql`support_people_search.rowid`))
    .limit(SHOWN);
}
