import { lt, or } from "drizzle-orm";
import { SESSION_MS } from "#app/accounts/session/auth-sessions.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, emailChanges, passwordResets } from "#app/db/schema.server.ts";

/**
 * Deletes expired resets and email changes, and sessions that ended long ago. Keeps an ended session for SESSION_MS, to
 * detect replayed tokens.
 */
export async function deleteExpiredRows(db: Db, now = Date.now()): Promise<void> {
  const longAgo = now - SESSION_MS;
  await db.batch([
    db.delete(authSessions).where(or(lt(authSessions.expiresAt, longAgo), lt(authSessions.revokedAt, longAgo))),
    db.delete(passwordResets).where(lt(passwordResets.expiresAt, now)),
    db.delete(emailChanges).where(lt(emailChanges.expiresAt, now)),
  ]);
}
