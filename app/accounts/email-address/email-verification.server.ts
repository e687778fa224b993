import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, sql } from "drizzle-orm";
import { verificationEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { countAttempt, type Limit } from "#app/db/rate-limit.server.ts";
import { emailVerifications, users } from "#app/db/schema.server.ts";
import { makeEmail, queueEmail, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";
import { HOUR_MS } from "#app/time.ts";

const VERIFICATION_MS = 48 * HOUR_MS;
const EMAILS_PER_ACCOUNT = 5;
const EMAILS_PER_ADDRESS = 30;

export const VERIFY_PATH = "/account/verify-email";

type Recipient = { userId: string; email: string };

/**
 * Builds the statements that queue an email whose link confirms the account's address. Earlier links stay valid until
 * one is used. `next` is the path that the page leads to after the confirmation.
 */
export async function verificationStatements(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  visit: Visit,
  { userId, email }: Recipient,
  next?: string,
) {
  const { token, digest } = makeEmailToken();
  const link = `${visit.origin}${VERIFY_PATH}?${new URLSearchParams({ token, ...(next && { next }) })}`;
  const queued = await makeEmail(env, "email_verification", verificationEmail(email, link), { userId });
  return [
    db
      .insert(emailVerifications)
      .values({ tokenDigest: digest, userId, email, expiresAt: Date.now() + VERIFICATION_MS }),
    withdrawEmails(db, "email_verification", sql`${userId}`),
    queueEmail(db, queued),
  ] as const;
}

/** Sends another verification email. The caller has checked that the address is not confirmed yet. */
export async function resendVerification(
  context: AppLoadContext,
  visit: Visit,
  recipient: Recipient,
  next = "",
): Promise<{ ok: true } | { ok: false; retryAfterSeconds: number }> {
  const { db } = context;
  const address = visit.network;
  const limits: Limit[] = [limit("email_verification", recipient.userId, EMAILS_PER_ACCOUNT)];
  if (address !== null) limits.push(limit("email_verification:address", address, EMAILS_PER_ADDRESS));
  const allowed = await countAttempt(db, limits);
  if (!allowed.ok) return allowed;
  await db.batch(await verificationStatements(context, visit, recipient, next));
  sendQueuedSoon(context);
  return { ok: true };
}

/**
 * Confirms the account's address by the token of a verification email. Call it on POST only, because email scanners
 * follow links. A link confirms only the address that it was sent to. All of the account's links stop working.
 */
export async function confirmEmail(
  context: Pick<AppLoadContext, "env" | "db" | "requestId">,
  visit: Visit,
  token: string,
  now = Date.now(),
): Promise<Recipient | null> {
  const { db } = context;
  const digest = sha256(token);
  const valid = db
    .select({ userId: emailVerifications.userId })
    .from(emailVerifications)
    .innerJoin(users, and(eq(users.id, emailVerifications.userId), eq(users.email, emailVerifications.email)))
    .where(and(eq(emailVerifications.tokenDigest, digest), gt(emailVerifications.expiresAt, now)));
  const [confirmed] = await db.batch([
    db
      .update(users)
      .set({ emailConfirmedAt: sql`coalesce(${users.emailConfirmedAt}, cast(${now} as integer))` })
      .where(eq(users.id, sql`(${valid})`))
      .returning({ userId: users.id, email: users.email }),
    eventStatement(db, visit, valid, "email_verified"),
    db.delete(emailVerifications).where(eq(emailVerifications.userId, sql`(${valid})`)),
  ]);
  const [account] = confirmed;
  if (account) logEvent(context, account.userId, "email_verified");
  return account ?? null;
}

function limit(name: string, who: string, max: number): Limit {
  return { name, who, max, periodMs: HOUR_MS };
}
