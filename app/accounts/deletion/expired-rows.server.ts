import { lt } from "drizzle-orm";
import { SESSION_MS } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import {
  authSessions,
  emailChanges,
  emailChangeUndos,
  emailVerifications,
  passwordResets,
  staffSetupLinks,
  usedTokens,
} from "#app/db/schema.server.ts";

/**
 * Deletes expired links and used tokens, and sessions that ended long ago. Keeps an ended session for SESSION_MS, to
 * detect replayed tokens.
 */
export async function deleteExpiredRows(db: Db, now = Date.now()): Promise<void> {
  const longAgo = now - SESSION_MS;
  // Apart, because each is served by an index of its own.
  await deleteInChunks(db, authSessions, lt(authSessions.expiresAt, longAgo));
  await deleteInChunks(db, authSessions, lt(authSessions.revokedAt, longAgo));
  await deleteInChunks(db, passwordResets, lt(passwordResets.expiresAt, now));
  await deleteInChunks(db, emailChanges, lt(emailChanges.expiresAt, now));
  await deleteInChunks(db, usedTokens, lt(usedTokens.expiresAt, now));
  await deleteInChunks(db, emailVerifications, lt(emailVerifications.expiresAt, now));
  await deleteInChunks(db, emailChangeUndos, lt(emailChangeUndos.expiresAt, now));
  await deleteInChunks(db, staffSetupLinks, lt(staffSetupLinks.expiresAt, now));
}
