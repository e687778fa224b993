import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray } from "drizzle-orm";
import { firstAlertOf } from "#app/accounts/devices/known-devices.server.ts";
import { resetEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { revokeAccess } from "#app/accounts/recovery/revoke-access.server.ts";
import { accountsLosingRole } from "#app/accounts/session/role-removal.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { newDeviceAlerts } from "#app/db/schema.server.ts";
import { makeEmail, queueEmailToAccount, sendQueuedSoon } from "#app/email/queue-email.server.ts";

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
 * Rejects a log-in or factor that was announced by email: ends everything that opens the account, with the factors added
 * since the first announcement, because a thief may have caused several. Then it emails a link for a new password. Fails if
 * the link is no longer valid. Call it on POST only, because email scanners follow links.
 *
 * The email goes to the account's address, and the page shows no reset form: an old email must not set a password.
 */
export async function rejectLogIn(
  context: AppLoadContext,
  visit: Visit,
  token: string,
  access: OtherAccess,
): Promise<Rejection> {
  const { db, env } = context;
  const owner = usableAlert(db, token);
  const reset = makeEmailToken();
  const link = `${visit.origin}/reset-password?${new URLSearchParams({ token: reset.token })}`;
  const email = await makeEmail(env, "password_reset", resetEmail("", link));
  const revoked = await revokeAccess(context, visit, owner, {
    since: firstAlertOf(db, owner),
    access,
    resetDigest: reset.digest,
  });
  const results = await db.batch([
    ...revoked.statements,
    ...queueEmailToAccount(db, email, owner),
    eventStatement(db, visit, owner, "new_device_rejected"),
    // Last, because the statements above select by the token.
    db.delete(newDeviceAlerts).where(inArray(newDeviceAlerts.userId, owner)),
  ]);
  const { userId, lostRole } = await revoked.finish(results);
  if (userId === null) return { ok: false };
  logEvent(context, userId, "new_device_rejected");
  sendQueuedSoon(context);
  return { ok: true, lostRole };
}

function usableAlert(db: Db, token: string) {
  return db
    .select({ userId: newDeviceAlerts.userId })
    .from(newDeviceAlerts)
    .where(and(eq(newDeviceAlerts.tokenDigest, sha256(token)), gt(newDeviceAlerts.expiresAt, Date.now())));
}
