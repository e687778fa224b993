import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray, ne, sql } from "drizzle-orm";
import { addressChangeNoticeEmail, confirmAddressEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import type { TooMany } from "#app/accounts/password/attempts.server.ts";
import { WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { batchIfVerified, checkOwnPassword } from "#app/accounts/password/verified-password.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { recordProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { authSessions, emailChanges, passwordResets, profiles, users } from "#app/db/schema.server.ts";
import { makeEmail, queueEmail, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";

const CHANGE_MS = 24 * 60 * 60 * 1000;

export type EmailChangeRefusal = "wrong_password" | "same_email" | "email_taken" | "link_expired";

export const EMAIL_CHANGE_ERRORS: Record<EmailChangeRefusal, string> = {
  wrong_password: WRONG_PASSWORD,
  same_email: "This is already your email address.",
  email_taken: "An account with this email already exists.",
  link_expired: "This link was used or has expired. Request a new one on your profile page.",
};

/** Queues a link to the new address and a notice to the old one. The address changes once the link is confirmed. */
export async function requestEmailChange(
  context: AppLoadContext,
  request: Request,
  viewer: Pick<Viewer, "userId" | "sessionId" | "email">,
  input: { newEmail: string; password: string },
): Promise<{ ok: true } | { ok: false; reason: EmailChangeRefusal } | (TooMany & { reason: "too_many" })> {
  const { db, env } = context;
  const { userId } = viewer;
  const checked = await checkOwnPassword(context, request, viewer, "change_email", input.password);
  if (!checked.ok) return checked;
  if (input.newEmail.toLowerCase() === viewer.email.toLowerCase()) return { ok: false, reason: "same_email" };
  const taken = await db.select({ id: users.id }).from(users).where(eq(users.email, input.newEmail)).limit(1);
  if (taken.length > 0) return { ok: false, reason: "email_taken" };

  const { token, digest } = makeEmailToken();
  const change = { tokenDigest: digest, newEmail: input.newEmail, expiresAt: Date.now() + CHANGE_MS };
  const origin = publicOrigin(env, request);
  const link = `${origin}/account/email?${new URLSearchParams({ token })}`;
  const confirmation = await makeEmail(env, "address_confirmation", confirmAddressEmail(input.newEmail, link), {
    userId,
  });
  const notice = await makeEmail(
    env,
    "address_change_notice",
    addressChangeNoticeEmail(viewer.email, input.newEmail, `${origin}/reset-password`),
    { userId },
  );
  const done = await batchIfVerified(db, userId, checked.passwordHash, [
    db
      .insert(emailChanges)
      .values({ userId, ...change })
      .onConflictDoUpdate({ target: emailChanges.userId, set: change }),
    withdrawEmails(db, "address_confirmation", sql`${userId}`),
    queueEmail(db, confirmation),
    queueEmail(db, notice),
    recordProof(db, viewer),
    eventStatement(context, request, userId, "email_change_requested", { email: input.newEmail }),
  ]);
  if (!done) return { ok: false, reason: "wrong_password" };
  logEvent(context, userId, "email_change_requested");
  sendQueuedSoon(context);
  return { ok: true };
}

/**
 * Changes the account's email address to the confirmed one. Call it on POST only, because email scanners follow links.
 * Reset links emailed to the old address stop working, and every session ends but the one to keep.
 */
export async function confirmEmailChange(
  db: Db,
  token: string,
  keepSessionId?: string,
): Promise<{ ok: true; userId: string; email: string } | { ok: false; reason: EmailChangeRefusal }> {
  const pending = and(eq(emailChanges.tokenDigest, sha256(token)), gt(emailChanges.expiresAt, Date.now()));
  const [change] = await db.select().from(emailChanges).where(pending).limit(1);
  if (!change) return { ok: false, reason: "link_expired" };
  const owner = db.select({ userId: emailChanges.userId }).from(emailChanges).where(pending);
  const email = change.newEmail;
  const kept = keepSessionId === undefined ? [] : [ne(authSessions.id, keepSessionId)];
  try {
    const [moved] = await db.batch([
      db.update(users).set({ email }).where(inArray(users.id, owner)).returning({ id: users.id }),
      db.update(profiles).set({ email }).where(inArray(profiles.userId, owner)),
      db.delete(passwordResets).where(inArray(passwordResets.userId, owner)),
      endSessionsWhere(db, inArray(authSessions.userId, owner), ...kept),
      // Last, because the statements above select by the token.
      db.delete(emailChanges).where(pending),
    ]);
    const [owned] = moved;
    return owned ? { ok: true, userId: owned.id, email } : { ok: false, reason: "link_expired" };
  } catch (error) {
    if (violates(error, "users.email")) return { ok: false, reason: "email_taken" };
    throw error;
  }
}
