import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, sql } from "drizzle-orm";
import { deviceDigest, voidLaterAlerts } from "#app/accounts/devices/known-devices.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { limitPasswordChanges, type TooMany } from "#app/accounts/password/attempts.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { weaknessOf } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_TEXTS, type WeakPassword, WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { batchIfVerified, checkOwnPassword } from "#app/accounts/password/verified-password.server.ts";
import { makePasswordNotice } from "#app/accounts/recovery/password-reset.server.ts";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { TOKEN_USER, type TokenUser } from "#app/accounts/session/token-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { recordProof } from "#app/accounts/step-up/recent-proof.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { emailChanges, passwordResets, profiles, users } from "#app/db/schema.server.ts";
import { queueEmail, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";

/** Reads and changes a user's own account. Sessions are in auth-sessions.server.ts. */

export async function readAccount(db: Db, userId: string): Promise<TokenUser> {
  const [account] = await db
    .select(TOKEN_USER)
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.id, userId))
    .limit(1);
  if (!account) throw new Error("account not found");
  return account;
}

export async function changeName(db: Db, userId: string, fullName: string): Promise<void> {
  await db.batch([
    db.update(profiles).set({ fullName }).where(eq(profiles.userId, userId)),
    db.update(users).set({ updatedAt: Date.now() }).where(eq(users.id, userId)),
  ]);
}

export type PasswordChangeRefusal = "wrong_password" | WeakPassword;

export const PASSWORD_CHANGE_ERRORS: Record<PasswordChangeRefusal, string> = {
  wrong_password: WRONG_PASSWORD,
  ...WEAK_PASSWORD_TEXTS,
};

/**
 * Changes the password. Ends every other session, all pending reset links and a pending change of the email address, and
 * other access if it is given.
 */
export async function changePassword(
  context: AppLoadContext,
  visit: Visit,
  viewer: Pick<Viewer, "userId" | "sessionId" | "email">,
  input: { current: string; next: string },
  access?: OtherAccess,
): Promise<{ ok: true } | { ok: false; reason: PasswordChangeRefusal } | (TooMany & { reason: "too_many" })> {
  const { db } = context;
  const { userId, sessionId, email } = viewer;
  const checked = await checkOwnPassword(context, visit, viewer, "change_password", input.current);
  if (!checked.ok) return checked;
  const weak = await weaknessOf(context.env, input.next, await readAccount(db, userId));
  if (weak) return { ok: false, reason: weak };
  const allowed = await limitPasswordChanges(context, userId);
  if (!allowed.ok) return { ...allowed, reason: "too_many" };
  const passwordHash = await hashPassword(input.next, checked.hashing);
  const notice = await makePasswordNotice(context, visit, { email, userId, endsPrograms: access !== undefined });
  const device = deviceDigest(visit);
  const others = access?.statements(sql`${userId}`) ?? [];
  const results = await batchIfVerified(db, userId, checked.passwordHash, [
    ...others,
    db.update(users).set({ passwordHash }).where(eq(users.id, userId)),
    endSessions(db, userId, sessionId),
    recordProof(db, viewer),
    db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
    db.delete(emailChanges).where(eq(emailChanges.userId, userId)),
    withdrawEmails(db, "address_confirmation", sql`${userId}`),
    queueEmail(db, notice),
    eventStatement(db, visit, userId, "password_changed"),
    voidLaterAlerts(db, userId, device),
  ]);
  if (!results) return { ok: false, reason: "wrong_password" };
  await access?.finish(results.slice(0, others.length));
  logEvent(context, userId, "password_changed");
  sendQueuedSoon(context);
  return { ok: true };
}
