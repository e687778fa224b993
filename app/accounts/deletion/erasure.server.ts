import type { AppLoadContext } from "@remix-run/cloudflare";
import { asc, eq } from "drizzle-orm";
import { limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { isPasswordOf } from "#app/accounts/profile/profile.server.ts";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { accountDeletions, emailChanges, passwordResets, tempMysqlPasswords, users } from "#app/db/schema.server.ts";

/**
 * Deleting an account takes many steps in several stores, so it is written down first: `startErasure`, then every
 * domain's part, each of which may be repeated, then `eraseAccount`. `pendingErasures` lists what was cut off.
 */

const RESUMED_AT_ONCE = 20;

export const ERASURE_WRONG_PASSWORD = "This is not your current password.";

/** Asks for the password again, signs the person out everywhere, and lets nobody sign in any more. */
export async function startErasure(
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

/** The users whose deletion was started and not finished, longest waiting first. */
export async function pendingErasures(db: Db): Promise<string[]> {
  const rows = await db
    .select({ userId: accountDeletions.userId })
    .from(accountDeletions)
    .orderBy(asc(accountDeletions.requestedAt))
    .limit(RESUMED_AT_ONCE);
  return rows.map((row) => row.userId);
}

/** The last step. The rest of the account goes with the row of `users`, by its foreign keys. */
export async function eraseAccount(db: Db, userId: string): Promise<void> {
  await db.batch([
    db.delete(users).where(eq(users.id, userId)),
    db.delete(accountDeletions).where(eq(accountDeletions.userId, userId)),
  ]);
}
