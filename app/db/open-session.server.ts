import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "./db.server.ts";
import { authSessions } from "./schema.server.ts";

/** A user and the session in which they make something that outlives it, which must be open in the same statement. */
export type SessionOwner = { userId: string; sessionId: string };

/**
 * Returns the condition that the session has not ended. A request may be in flight while its session ends, and the
 * password reset that ends it revokes only the keys that are there.
 */
export function isSessionOpen({ userId, sessionId }: SessionOwner): SQL {
  const { id, userId: owner, revokedAt } = authSessions;
  return sql`exists (select 1 from ${authSessions} where ${id} = ${sessionId} and ${owner} = ${userId} and ${revokedAt} is null)`;
}

export async function hasOpenSession(db: Db, { userId, sessionId }: SessionOwner): Promise<boolean> {
  const { id, userId: owner, revokedAt } = authSessions;
  const isOpen = and(eq(id, sessionId), eq(owner, userId), isNull(revokedAt));
  return (await db.$count(authSessions, isOpen)) === 1;
}
