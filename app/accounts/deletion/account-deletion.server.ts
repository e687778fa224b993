import type { AppLoadContext } from "@remix-run/cloudflare";
import { asc, eq } from "drizzle-orm";
import { limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { isPasswordOf } from "#app/accounts/profile/profile.server.ts";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { accountDeletions, emailChanges, passwordResets, tempMysqlPasswords, users } from "#app/db/schema.server.ts";

/**
 * Deleting an account takes several steps in several stores. `startDeletion` records it first, then each domain erases
 * its part (every step may be repeated), and `finishDeletion` comes last. `pendingDeletions` lists interrupted ones.
 */

const MAX_RESUMED = 20;

/** Starts a deletion after a check of the password: ends all sessions and blocks every way to log in. */
export async function startDeletion(
  context: AppLoadContext,
  request: Request,
  viewer: Pick<Viewer, "userId" | "email">,
  password: string,
): Promise<{ ok: true } | { ok: false; reason: "wrong_password" } | (TooMany & { reason: "too_many" })> {
  const { db } = context;
  const allowed = await limitAttempts(context, request, "sign_in", viewer.email);
  if (!allowed.ok) return { ...allowed, reason: "too_many" };
  const { userId } = viewer;
  if (!(await isPasswordOf(db, userId, password))) return { ok: false, reason: "wrong_password" };
  await db.batch([
    db.insert(accountDeletions).values({ userId, requestedAt: Date.now() }).onConflictDoNothing(),
    db.update(users).set({ passwordHash: null }).where(eq(users.id, userId)),
    db.delete(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId)),
    db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
    db.delete(emailChanges).where(eq(emailChanges.userId, userId)),
    endSessions(db, userId),
  ]);
  return { ok: true };
}

/** Returns the users whose deletion was started but not finished, oldest first. */
export async function pendingDeletions(db: Db): Promise<string[]> {
  const rows = await db
    .select({ userId: accountDeletions.userId })
    .from(accountDeletions)
    .orderBy(asc(accountDeletions.attemptedAt), asc(accountDeletions.requestedAt))
    .limit(MAX_RESUMED);
  return rows.map((row) => row.userId);
}

/** Notes an attempt, before it is made: a deletion that keeps failing goes behind the others. */
export async function noteAttempt(db: Db, userId: string, now: number): Promise<void> {
  await db.update(accountDeletions).set({ attemptedAt: now }).where(eq(accountDeletions.userId, userId));
}

/** Deletes the account itself. Foreign keys delete the rest of its rows with the one in `users`. */
export async function finishDeletion(db: Db, userId: string): Promise<void> {
  await db.batch([
    db.delete(users).where(eq(users.id, userId)),
    db.delete(accountDeletions).where(eq(accountDeletions.userId, userId)),
  ]);
}
