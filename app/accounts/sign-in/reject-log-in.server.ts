import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { firstAlertOf, forgetDevices } from "#app/accounts/devices/known-devices.server.ts";
import { resetEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { removeFactorsSince } from "#app/accounts/factors/remove-factors.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { RESET_MS } from "#app/accounts/password/password-reset.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import {
  accountsLosingRole,
  logRoleRemoval,
  removeRoleWithFactors,
} from "#app/accounts/session/role-removal.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  authSessions,
  emailChanges,
  newDeviceAlerts,
  passwordResets,
  tempMysqlPasswords,
  users,
} from "#app/db/schema.server.ts";
import { makeEmail, queueEmailToAccount, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";

/** Returns whether the link of an email about a new device or factor still works. */
export async function isAlertToken(db: Db, token: string): Promise<boolean> {
  return (await usableAlert(db, token)).length === 1;
}

/** Returns whether following the link makes an agent or admin a customer. */
export async function rejectionRemovesRole(db: Db, token: string): Promise<boolean> {
  const owner = usableAlert(db, token);
  return (await accountsLosingRole(db, owner, firstAlertOf(db, owner))).length > 0;
}

/** `lostRole`: an agent or admin lost a second factor and became a customer. */
export type Rejection = { ok: true; lostRole: boolean } | { ok: false };

/**
 * Rejects a log-in or factor that was announced by email: ends every session, sets the password aside, cancels what was requested
 * by email, forgets every device and removes the factors added since the first announcement (a thief may
 * have caused several), with the role of staff,
 * then emails a link for a new password. Fails if the link is no longer valid. Call it on POST only, because email
 * scanners follow links.
 *
 * The email goes to the account's address, and the page shows no reset form: an old email must not set a password.
 */
export async function rejectLogIn(
  context: AppLoadContext,
  request: Request,
  token: string,
  access: OtherAccess,
): Promise<Rejection> {
  const { db, env } = context;
  const owner = usableAlert(db, token);
  const since = firstAlertOf(db, owner);
  const demotion = await removeRoleWithFactors(context, request, owner, since);
  const others = access.statements(owner);
  const reset = makeEmailToken();
  const link = `${publicOrigin(env, request)}/reset-password?${new URLSearchParams({ token: reset.token })}`;
  const email = await makeEmail(env, "password_reset", resetEmail("", link));
  const [closed, demoted, ...results] = await db.batch([
    db.update(users).set({ passwordHash: null }).where(inArray(users.id, owner)).returning({ id: users.id }),
    ...demotion,
    ...others,
    // Without a hash the legacy one would sign in.
    db
      .update(tempMysqlPasswords)
      .set({ migrated: true, mysqlPasswordHash: null })
      .where(inArray(tempMysqlPasswords.userId, owner)),
    endSessionsWhere(db, inArray(authSessions.userId, owner)),
    db.delete(emailChanges).where(inArray(emailChanges.userId, owner)),
    withdrawEmails(db, "address_confirmation", owner),
    db.delete(passwordResets).where(inArray(passwordResets.userId, owner)),
    withdrawEmails(db, "password_reset", owner),
    forgetDevices(db, owner),
    ...removeFactorsSince(db, owner, since),
    db.insert(passwordResets).select(
      db
        .select({
          tokenDigest: sql<string>`${reset.digest}`.as("token_digest"),
          userId: users.id,
          expiresAt: sql<number>`cast(${Date.now() + RESET_MS} as integer)`.as("expires_at"),
          usedAt: sql<null>`null`.as("used_at"),
        })
        .from(users)
        .where(inArray(users.id, owner)),
    ),
    ...queueEmailToAccount(db, email, owner),
    eventStatement(context, request, owner, "new_device_rejected"),
    // Last, because the statements above select by the token.
    db.delete(newDeviceAlerts).where(inArray(newDeviceAlerts.userId, owner)),
  ]);
  const [account] = closed;
  if (!account) return { ok: false };
  const first = demotion.length - 1;
  await access.finish(results.slice(first, first + others.length));
  logEvent(context, account.id, "new_device_rejected");
  sendQueuedSoon(context);
  return { ok: true, lostRole: logRoleRemoval(context, demoted) };
}

function usableAlert(db: Db, token: string) {
  return db
    .select({ userId: newDeviceAlerts.userId })
    .from(newDeviceAlerts)
    .where(and(eq(newDeviceAlerts.tokenDigest, sha256(token)), gt(newDeviceAlerts.expiresAt, Date.now())));
}
