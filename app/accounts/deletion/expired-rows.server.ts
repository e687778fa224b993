import { lt, or } from "drizzle-orm";
import { SESSION_MS } from "#app/accounts/session/auth-sessions.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, emailChanges, passwordResets } from "#app/db/schema.server.ts";

/** Deletes ended sessions, resets and email changes. A session stays as long again, to recognize a replayed token. */
export async function deleteExpiredRows(db: Db, now = Date.now()): Promise<void> {
  const longAgo = now - SESSION_MS;
  await db.batch([
    db.delete(authSessions).where(or(lt(authSessions.expiresAt, longAgo), lt(authSessions.revokedAt, longAgo))),
    db.delete(passwordResets).where(lt(passwordResets.expiresAt, now)),
    db.delete(emailChanges).where(lt(emailChanges.expiresAt, now)),
  ]);
}
