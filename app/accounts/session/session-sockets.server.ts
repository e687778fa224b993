import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, profiles, type Role } from "#app/db/schema.server.ts";
import { endsUnused, isRunning } from "./auth-sessions.server.ts";

/** Which sessions have chat sockets, so that these close when their session ends. */

/** Sessions per query. */
const ENDED_MAX = 100;

/** Records that the session has sockets. Returns the role of its user, or null if the session has ended. */
export async function admitSockets(db: Db, sessionId: string): Promise<Role | null> {
  const [, [running]] = await db.batch([
    db.update(authSessions).set({ socketsDueAt: endsUnused() }).where(eq(authSessions.id, sessionId)),
    selectRole(db, sessionId),
  ]);
  return running?.role ?? null;
}

/** Returns the role of the session's user, or null if the session has ended. */
export async function readSessionRole(db: Db, sessionId: string): Promise<Role | null> {
  const [running] = await selectRole(db, sessionId);
  return running?.role ?? null;
}

/** Lists sessions that have ended and whose sockets were not closed, a bounded number at a time. */
export async function listEndedWithSockets(db: Db, now: number): Promise<{ id: string; userId: string }[]> {
  const [, ended] = await db.batch([
    // Used since, so its limit is later.
    db
      .update(authSessions)
      .set({ socketsDueAt: endsUnused() })
      .where(and(isDue(now), isRunning(now))),
    db
      .select({ id: authSessions.id, userId: authSessions.userId })
      .from(authSessions)
      .where(isDue(now))
      .limit(ENDED_MAX),
  ]);
  return ended;
}

export async function markSocketsClosed(db: Db, sessionIds: string[]): Promise<void> {
  const ids = sql`(select value from json_each(${JSON.stringify(sessionIds)}))`;
  await db.update(authSessions).set({ socketsDueAt: null }).where(inArray(authSessions.id, ids));
}

/** Matches sessions with sockets that have been ended or are due. Spelled as in its index. */
function isDue(now: number): SQL | undefined {
  const { revokedAt, socketsDueAt } = authSessions;
  const dueAt = sql`case when ${revokedAt} is null then ${socketsDueAt} else ${revokedAt} end`;
  return and(isNotNull(socketsDueAt), sql`${dueAt} <= ${now}`);
}

function selectRole(db: Db, sessionId: string) {
  return db
    .select({ role: profiles.role })
    .from(authSessions)
    .innerJoin(profiles, eq(profiles.userId, authSessions.userId))
    .where(and(eq(authSessions.id, sessionId), isRunning(Date.now())))
    .limit(1);
}
