import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray, isNull, type SQLWrapper } from "drizzle-orm";
import { forgetDevices, sentDevice } from "#app/accounts/devices/known-devices.server.ts";
import { passwordChangedEmail, resetEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { removeFactorsSince } from "#app/accounts/factors/remove-factors.server.ts";
import { endEmailedSetupLinks } from "#app/accounts/factors/staff-setup-links.server.ts";
import { forgetFailures, limitAttempts, mayEmailReset, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { withHashing } from "#app/accounts/password/hash-queue.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { weaknessOf } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_TEXTS, type WeakPassword } from "#app/accounts/password/password-texts.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import { logRoleRemoval, removeRoleWithFactors } from "#app/accounts/session/role-removal.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  authSessions,
  emailChanges,
  emailVerifications,
  newDeviceAlerts,
  passwordResets,
  profiles,
  securityEvents,
  tempMysqlPasswords,
  users,
} from "#app/db/schema.server.ts";
import { makeEmail, queueEmailToAccount, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { insertReset } from "./reset-tokens.server.ts";

/**
 * Queues an email with a reset link if the account exists. Does the same work and returns the same result if not. Earlier
 * links stay valid until one is used, so that a stranger's request does not invalidate the owner's.
 */
export async function requestReset(
  context: AppLoadContext,
  visit: Visit,
  email: string,
): Promise<{ ok: true } | TooMany> {
  const { db, env } = context;
  const device = sentDevice(db, visit, email);
  const allowed = await limitAttempts(context, visit, "recover", { account: email, device });
  if (!allowed.ok) return allowed;
  if (!allowed.isKnownDevice && !(await mayEmailReset(context, email))) return { ok: true };
  const { token, digest } = makeEmailToken();
  const link = `${visit.origin}/reset-password?${new URLSearchParams({ token })}`;
  const queued = await makeEmail(env, "password_reset", resetEmail("", link));
  const owner = db
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(eq(profiles.email, lookupEmail(email)));
  const [recorded] = await db.batch([
    eventStatement(db, visit, owner, "password_reset_requested").returning({ userId: securityEvents.userId }),
    insertReset(db, owner, digest),
    ...queueEmailToAccount(db, queued, owner),
  ]);
  logEvent(context, recorded[0]?.userId ?? null, "password_reset_requested");
  sendQueuedSoon(context);
  return { ok: true };
}

/** Returns whether a reset link is still valid. */
export async function isResetToken(db: Db, token: string): Promise<boolean> {
  return (await usableReset(db, token)).length === 1;
}

export type ResetRefusal = "link_expired" | WeakPassword;
export type Reset = { ok: true } | { ok: false; reason: ResetRefusal } | (TooMany & { reason: "too_many" });

export const RESET_ERRORS: Record<ResetRefusal, string> = {
  link_expired: "This link was used or has expired. Request a new one.",
  ...WEAK_PASSWORD_TEXTS,
};

/**
 * Sets a new password: consumes the token, ends every session and other access, confirms the address that the link was
 * sent to and closes the legacy path in one transaction. Removes the factors of an account whose address was not
 * confirmed, with the role of staff.
 */
export async function resetPassword(
  context: AppLoadContext,
  visit: Visit,
  input: { token: string; password: string },
  access: OtherAccess,
): Promise<Reset> {
  const { db, env } = context;
  const [person] = await db
    .select({ email: profiles.email, fullName: profiles.fullName })
    .from(profiles)
    .where(inArray(profiles.userId, usableReset(db, input.token)));
  if (!person) return { ok: false, reason: "link_expired" };
  const weak = await weaknessOf(env, input.password, person);
  if (weak) return { ok: false, reason: weak };
  const hashed = await withHashing(context, visit, (caller) => hashPassword(input.password, caller));
  if (!hashed.ok) return { ...hashed, reason: "too_many" };
  const account = await storeReset(context, visit, { token: input.token, passwordHash: hashed.value }, access);
  if (!account) return { ok: false, reason: "link_expired" };
  logEvent(context, account.id, "password_reset");
  await forgetFailures(context, visit, account.email);
  sendQueuedSoon(context);
  return { ok: true };
}

/** Stores the new password and all that follows, in one batch. Returns the account, or nothing if the link was used meanwhile. */
async function storeReset(
  context: AppLoadContext,
  visit: Visit,
  { token, passwordHash }: { token: string; passwordHash: string },
  access: OtherAccess,
): Promise<{ id: string; email: string } | undefined> {
  const { db } = context;
  const owner = usableReset(db, token);
  const notice = await makePasswordNotice(context, visit, { email: "", endsPrograms: true });
  const others = access.statements(owner);
  // Selects nobody once the address is confirmed.
  const unconfirmed = db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, owner), isNull(users.emailConfirmedAt)));
  const demotion = await removeRoleWithFactors(context, visit, unconfirmed, 0);
  const [[account], demoted, ...results] = await db.batch([
    db
      .update(users)
      .set({ passwordHash })
      .where(inArray(users.id, owner))
      .returning({ id: users.id, email: users.email }),
    ...demotion,
    ...others,
    ...confirmAndEndAccess(db, owner, unconfirmed),
    ...queueEmailToAccount(db, notice, owner),
    eventStatement(db, visit, owner, "password_reset"),
    // Last, because the statements above select by the token.
    db.update(passwordResets).set({ usedAt: Date.now() }).where(inArray(passwordResets.userId, owner)),
  ]);
  if (!account) return undefined;
  const first = demotion.length - 1;
  await access.finish(results.slice(first, first + others.length));
  logRoleRemoval(context, demoted);
  return account;
}

/**
 * Builds the statements that confirm the address of a reset and end what opened the account before. `unconfirmed` selects
 * the account as long as its address is not confirmed: whoever signed up with it may not have owned it, and a passkey logs
 * in without the password.
 */
function confirmAndEndAccess(db: Db, owner: SQLWrapper, unconfirmed: SQLWrapper) {
  return [
    ...removeFactorsSince(db, unconfirmed, 0),
    ...endEmailedSetupLinks(db, owner),
    db.update(users).set({ emailConfirmedAt: Date.now() }).where(inArray(users.id, unconfirmed)),
    db
      .update(tempMysqlPasswords)
      .set({ migrated: true, mysqlPasswordHash: null })
      .where(inArray(tempMysqlPasswords.userId, owner)),
    endSessionsWhere(db, inArray(authSessions.userId, owner)),
    db.delete(emailChanges).where(inArray(emailChanges.userId, owner)),
    db.delete(emailVerifications).where(inArray(emailVerifications.userId, owner)),
    withdrawEmails(db, "password_reset", owner),
    forgetDevices(db, owner),
    // A factor outlasts the reset, and so does the link that removes it.
    db
      .delete(newDeviceAlerts)
      .where(and(inArray(newDeviceAlerts.userId, owner), eq(newDeviceAlerts.subject, "log_in"))),
  ] as const;
}

/** Makes the email that tells an account's owner of the change, for the batch that changes the password. */
export function makePasswordNotice(
  { env }: AppLoadContext,
  visit: Visit,
  { email, userId, endsPrograms }: { email: string; userId?: string; endsPrograms: boolean },
) {
  const link = `${visit.origin}/reset-password`;
  return makeEmail(env, "password_changed", passwordChangedEmail(email, link, { endsPrograms }), { userId });
}

function usableReset(db: Db, token: string) {
  return db
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(
      and(
        eq(passwordResets.tokenDigest, sha256(token)),
        isNull(passwordResets.usedAt),
        gt(passwordResets.expiresAt, Date.now()),
      ),
    );
}
