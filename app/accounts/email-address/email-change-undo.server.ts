import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, gte, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { firstAlertOf } from "#app/accounts/devices/known-devices.server.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { revokeAccess } from "#app/accounts/recovery/revoke-access.server.ts";
import { accountsLosingRole } from "#app/accounts/session/role-removal.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { emailChangeUndos, newDeviceAlerts, profiles, users } from "#app/db/schema.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { DAY_MS } from "#app/time.ts";

/** A change may have been requested this long before it was confirmed. */
const CHANGE_MS = DAY_MS;

export type UndoRefusal = "link_expired" | "email_taken";

export const UNDO_ERRORS: Record<UndoRefusal, string> = {
  link_expired: "This link was used or has expired.",
  email_taken: "Another account uses this email address by now. Contact support in the chat.",
};

/** Returns the address that a valid link restores, and whether it makes an agent or admin a customer; or null. */
export async function readUndo(db: Db, token: string): Promise<{ oldEmail: string; losesRole: boolean } | null> {
  const [undo] = await usableUndo(db, token);
  if (!undo) return null;
  const { oldEmail, createdAt } = undo;
  const owner = ownerOf(db, token);
  const losing = await accountsLosingRole(db, owner, factorsSince(db, owner, createdAt));
  return { oldEmail, losesRole: losing.length > 0 };
}

/**
 * Restores the address before a change, for whoever receives email there. Call it on POST only, because email scanners
 * follow links. Whoever made the change may have had the account in hand since, so everything that opens it ends, with the
 * factors added since the change was requested and the undo links of later changes. Those of earlier changes stay valid.
 * Returns the token of a reset link.
 */
export async function undoEmailChange(
  context: AppLoadContext,
  visit: Visit,
  token: string,
  access: OtherAccess,
): Promise<{ ok: true; resetToken: string } | { ok: false; reason: UndoRefusal }> {
  const { db } = context;
  const [undo] = await usableUndo(db, token);
  if (!undo) return { ok: false, reason: "link_expired" };
  const { id, oldEmail, createdAt } = undo;
  const owner = ownerOf(db, token);
  const now = Date.now();
  const reset = makeEmailToken();
  const revoked = await revokeAccess(context, visit, owner, {
    since: factorsSince(db, owner, createdAt),
    access,
    resetDigest: reset.digest,
  });
  try {
    const results = await db.batch([
      ...revoked.statements,
      db.update(users).set({ email: oldEmail, emailConfirmedAt: now }).where(inArray(users.id, owner)),
      db.update(profiles).set({ email: oldEmail }).where(inArray(profiles.userId, owner)),
      db.delete(newDeviceAlerts).where(inArray(newDeviceAlerts.userId, owner)),
      eventStatement(db, visit, owner, "email_change_undone", { email: oldEmail }),
      // Last, because the statements above select by the token.
      db
        .update(emailChangeUndos)
        .set({ usedAt: now })
        .where(
          and(inArray(emailChangeUndos.userId, owner), gte(emailChangeUndos.id, id), isNull(emailChangeUndos.usedAt)),
        ),
    ]);
    const { userId, lostRole } = await revoked.finish(results);
    if (userId === null) return { ok: false, reason: "link_expired" };
    logEvent(context, userId, "email_change_undone");
    if (lostRole) sendQueuedSoon(context);
    return { ok: true, resetToken: reset.token };
  } catch (error) {
    if (violates(error, "users.email")) return { ok: false, reason: "email_taken" };
    throw error;
  }
}

function usableUndo(db: Db, token: string) {
  return db.select().from(emailChangeUndos).where(isUsable(token)).limit(1);
}

/** Selects when the change may have been requested, or an earlier announcement whose link ends with this undo. */
function factorsSince(db: Db, owner: SQLWrapper, createdAt: number): SQL {
  const since = createdAt - CHANGE_MS;
  return sql`min(${since}, coalesce(${firstAlertOf(db, owner)}, ${since}))`;
}

function ownerOf(db: Db, token: string) {
  return db.select({ userId: emailChangeUndos.userId }).from(emailChangeUndos).where(isUsable(token));
}

function isUsable(token: string) {
  return and(
    eq(emailChangeUndos.tokenDigest, sha256(token)),
    isNull(emailChangeUndos.usedAt),
    gt(emailChangeUndos.expiresAt, Date.now()),
  );
}
