import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray, isNotNull, ne, sql } from "drizzle-orm";
import {
  addressChangedEmail,
  addressChangeNoticeEmail,
  confirmAddressEmail,
} from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { type TooMany, tooMany } from "#app/accounts/password/attempts.server.ts";
import { WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { batchIfVerified, checkOwnPassword } from "#app/accounts/password/verified-password.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { recordProof } from "#app/accounts/step-up/recent-proof.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { countAttempt, type Limit } from "#app/db/rate-limit.server.ts";
import {
  authSessions,
  emailChanges,
  emailChangeUndos,
  emailVerifications,
  passwordResets,
  profiles,
  users,
} from "#app/db/schema.server.ts";
import {
  makeEmail,
  queueEmail,
  queueEmailToAccount,
  sendQueuedSoon,
  withdrawEmails,
} from "#app/email/queue-email.server.ts";
import { emailKey } from "#app/email-address.ts";
import { DAY_MS, HOUR_MS, WEEK_MS } from "#app/time.ts";

/** Each request emails two addresses, and the new one may be a stranger's. */
const REQUESTS_PER_ACCOUNT = { max: 5, periodMs: HOUR_MS };
const REQUESTS_PER_ADDRESS = { max: 30, periodMs: HOUR_MS };
const CHANGE_MS = DAY_MS;
const UNDO_MS = WEEK_MS;
const UNDO_PATH = "/account/undo-email-change";

export type EmailChangeRefusal = "wrong_password" | "same_email" | "email_taken" | "link_expired" | "other_account";

export const EMAIL_CHANGE_ERRORS: Record<EmailChangeRefusal, string> = {
  wrong_password: WRONG_PASSWORD,
  same_email: "This is already your email address.",
  email_taken: "An account with this email already exists.",
  link_expired: "This link was used or has expired. Request a new one on your profile page.",
  other_account: "Log in to the account that requested this change, then open the link again.",
};

/** Queues a link to the new address and a notice to the old one. The address changes once the link is confirmed. */
export async function requestEmailChange(
  context: AppLoadContext,
  visit: Visit,
  viewer: Pick<Viewer, "userId" | "sessionId" | "email">,
  input: { newEmail: string; password: string },
): Promise<{ ok: true } | { ok: false; reason: EmailChangeRefusal } | (TooMany & { reason: "too_many" })> {
  const { db, env } = context;
  const { userId } = viewer;
  const checked = await checkOwnPassword(context, visit, viewer, "change_email", input.password);
  if (!checked.ok) return checked;
  if (emailKey(input.newEmail) === emailKey(viewer.email)) return { ok: false, reason: "same_email" };
  const taken = await db.select({ id: users.id }).from(users).where(eq(users.email, input.newEmail)).limit(1);
  if (taken.length > 0) return { ok: false, reason: "email_taken" };
  const allowed = await limitRequests(context, visit, userId);
  if (!allowed.ok) return { ...allowed, reason: "too_many" };

  const { token, digest } = makeEmailToken();
  const change = { tokenDigest: digest, newEmail: input.newEmail, expiresAt: Date.now() + CHANGE_MS };
  const origin = visit.origin;
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
    eventStatement(db, visit, userId, "email_change_requested", { email: input.newEmail }),
  ]);
  if (!done) return { ok: false, reason: "wrong_password" };
  logEvent(context, userId, "email_change_requested");
  sendQueuedSoon(context);
  return { ok: true };
}

async function limitRequests(
  { db }: Pick<AppLoadContext, "db">,
  visit: Visit,
  userId: string,
): Promise<{ ok: true } | TooMany> {
  const limits: Limit[] = [{ name: "email_change", who: userId, ...REQUESTS_PER_ACCOUNT }];
  const address = visit.network;
  if (address !== null) limits.push({ name: "email_change:address", who: address, ...REQUESTS_PER_ADDRESS });
  const counted = await countAttempt(db, limits);
  return counted.ok ? counted : tooMany(counted.retryAfterSeconds);
}

/** Returns whether this person may use the link, or would only learn that it has expired. */
export async function mayConfirmEmailChange(db: Db, token: string, userId: string | undefined): Promise<boolean> {
  if (userId === undefined) return false;
  const [change] = await db.select().from(emailChanges).where(isPending(token)).limit(1);
  return !change || change.userId === userId;
}

function isPending(token: string) {
  return and(eq(emailChanges.tokenDigest, sha256(token)), gt(emailChanges.expiresAt, Date.now()));
}

/**
 * Changes the account's email address to the confirmed one. Call it on POST only, because email scanners follow links.
 * Only an open session of the account may confirm: whoever gets an unrequested link would lend their address to a stranger.
 * Reset links emailed to the old address stop working, and every other session ends. The old address gets a
 * link that undoes the change, if it was confirmed: otherwise it may be a stranger's.
 */
export async function confirmEmailChange(
  context: AppLoadContext,
  visit: Visit,
  token: string,
  session: SessionOwner,
): Promise<{ ok: true; email: string } | { ok: false; reason: EmailChangeRefusal }> {
  const { db, env } = context;
  const [change] = await db.select().from(emailChanges).where(isPending(token)).limit(1);
  if (!change) return { ok: false, reason: "link_expired" };
  if (change.userId !== session.userId) return { ok: false, reason: "other_account" };
  const pending = and(isPending(token), eq(emailChanges.userId, session.userId), isSessionOpen(session));
  const owner = db.select({ userId: emailChanges.userId }).from(emailChanges).where(pending);
  const email = change.newEmail;
  const now = Date.now();
  const confirmedOwner = db
    .select({ userId: emailChanges.userId })
    .from(emailChanges)
    .innerJoin(users, eq(users.id, emailChanges.userId))
    .where(and(pending, isNotNull(users.emailConfirmedAt)));
  const undo = makeEmailToken();
  const link = `${visit.origin}${UNDO_PATH}?${new URLSearchParams({ token: undo.token })}`;
  const notice = await makeEmail(env, "address_changed", addressChangedEmail("", email, link));
  try {
    const [, , , moved] = await db.batch([
      // Before the address changes: these select the old one.
      ...queueEmailToAccount(db, notice, confirmedOwner),
      db.insert(emailChangeUndos).select(
        db
          .select({
            id: sql<null>`null`.as("id"),
            tokenDigest: sql<string>`${undo.digest}`.as("token_digest"),
            userId: users.id,
            oldEmail: users.email,
            createdAt: sql<number>`cast(${now} as integer)`.as("created_at"),
            expiresAt: sql<number>`cast(${now + UNDO_MS} as integer)`.as("expires_at"),
            usedAt: sql<null>`null`.as("used_at"),
          })
          .from(users)
          .where(inArray(users.id, confirmedOwner)),
      ),
      db
        .update(users)
        .set({ email, emailConfirmedAt: now })
        .where(inArray(users.id, owner))
        .returning({ id: users.id }),
      db.update(profiles).set({ email }).where(inArray(profiles.userId, owner)),
      db.delete(passwordResets).where(inArray(passwordResets.userId, owner)),
      db.delete(emailVerifications).where(inArray(emailVerifications.userId, owner)),
      endSessionsWhere(db, inArray(authSessions.userId, owner), ne(authSessions.id, session.sessionId)),
      eventStatement(db, visit, owner, "email_changed", { email }),
      // Last, because the statements above select by the token.
      db.delete(emailChanges).where(pending),
    ]);
    const [account] = moved;
    if (!account) return { ok: false, reason: "link_expired" };
    logEvent(context, account.id, "email_changed");
    sendQueuedSoon(context);
    return { ok: true, email };
  } catch (error) {
    if (violates(error, "users.email")) return { ok: false, reason: "email_taken" };
    throw error;
  }
}
