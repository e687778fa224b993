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
    selectRoles(db, [sessionId]),
  ]);
  return running?.role ?? null;
}

/** Returns the role of each session's user, without the sessions that have ended. */
export async function readSessionRoles(db: Db, sessionIds: string[]): Promise<Map<string, Role>> {
  const running = await selectRoles(db, sessionIds);
  return new Map(running.map(({ id, role }) => [id, role]));
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
  await db
    .update(authSessions)
    .set({ socketsDueAt: null })
    .where(inArray(authSessions.id, listed(sessionIds)));
}

/** Matches sessions with sockets that have been ended or are due. Spelled as in its index. */
function isDue(now: number): SQL | undefined {
  const { revokedAt, socketsDueAt } = authSessions;
  const dueAt = sql`case when ${revokedAt} is null then ${socketsDueAt} else ${revokedAt} end`;
  return and(isNotNull(socketsDueAt), sql`${dueAt} <= ${now}`);
}

function selectRoles(db: Db, sessionIds: string[]) {
  return db
    .select({ id: authSessions.id, role: profiles.role })
    .from(authSessions)
    .innerJoin(profiles, eq(profiles.userId, authSessions.userId))
    .where(and(inArray(authSessions.id, listed(sessionIds)), isRunning(Date.now())));
}

// One parameter, whatever their number: D1 allows 100.
function listed(ids: string[]): SQL {
  return sql`(select value from json_each(${JSON.stringify(ids)}))`;
}
