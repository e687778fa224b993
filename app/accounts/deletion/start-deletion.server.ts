import type { AppLoadContext } from "@remix-run/cloudflare";
import { asc, eq } from "drizzle-orm";
import { logEvent } from "#app/accounts/events/security-events.server.ts";
import type { TooMany } from "#app/accounts/password/attempts.server.ts";
import { batchIfVerified, checkOwnPassword } from "#app/accounts/password/verified-password.server.ts";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  accountDeletions,
  emailChanges,
  emailChangeUndos,
  passwordResets,
  tempMysqlPasswords,
  users,
} from "#app/db/schema.server.ts";

const MAX_RESUMED = 20;

/**
 * Checks the password, then records that the account is to be deleted, ends all sessions and blocks every way to log in.
 * The data itself is deleted by `app/delete-account.server.ts`, which resumes what this recorded if it is interrupted.
 */
export async function startDeletion(
  context: AppLoadContext,
  visit: Visit,
  viewer: Pick<Viewer, "userId" | "sessionId">,
  password: string,
): Promise<{ ok: true } | { ok: false; reason: "wrong_password" } | (TooMany & { reason: "too_many" })> {
  const { db } = context;
  const { userId } = viewer;
  const checked = await checkOwnPassword(context, visit, viewer, "delete_account", password);
  if (!checked.ok) return checked;
  const done = await batchIfVerified(db, userId, checked.passwordHash, deletionStatements(db, userId));
  if (!done) return { ok: false, reason: "wrong_password" };
  // Logged only: the list goes with the account.
  logEvent(context, userId, "deletion_requested");
  return { ok: true };
}

/** Records the deletions of accounts that a restored copy has again. Cron then completes them. */
export async function startDeletionsAgain(db: Db, userIds: string[]): Promise<void> {
  for (const userId of userIds) {
    const [first, ...others] = deletionStatements(db, userId);
    if (first) await db.batch([first, ...others]);
  }
}

/** Returns the statements that record a deletion, end all sessions and block every way to log in. */
function deletionStatements(db: Db, userId: string) {
  return [
    db.insert(accountDeletions).values({ userId, requestedAt: Date.now() }).onConflictDoNothing(),
    db.update(users).set({ passwordHash: null }).where(eq(users.id, userId)),
    db.delete(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId)),
    db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
    db.delete(emailChanges).where(eq(emailChanges.userId, userId)),
    // An undo would issue a reset link.
    db.delete(emailChangeUndos).where(eq(emailChangeUndos.userId, userId)),
    endSessions(db, userId),
  ];
}

/** Returns the users whose deletion was started but not finished, least recently tried first. */
export async function pendingDeletions(db: Db): Promise<string[]> {
  const rows = await db
    .select({ userId: accountDeletions.userId })
    .from(accountDeletions)
    .orderBy(asc(accountDeletions.attemptedAt), asc(accountDeletions.requestedAt))
    .limit(MAX_RESUMED);
  return rows.map((row) => row.userId);
}

/** Records an attempt before it is made, so that a deletion that keeps failing goes behind the others. */
export async function noteAttempt(db: Db, userId: string, now: number): Promise<void> {
  await db.update(accountDeletions).set({ attemptedAt: now }).where(eq(accountDeletions.userId, userId));
}
