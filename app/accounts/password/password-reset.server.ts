import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, gt, inArray, isNull } from "drizzle-orm";
import { passwordChangedEmail, resetEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  authSessions,
  emailChanges,
  passwordResets,
  profiles,
  tempMysqlPasswords,
  users,
} from "#app/db/schema.server.ts";
import { sendEmail } from "#app/email/send-email.server.ts";
import { logError } from "#app/http/log.ts";
import { forgetAccountAttempts, limitAttempts, type TooMany } from "./attempts.server.ts";
import { isCommonPassword } from "./common-passwords.server.ts";
import { hashPassword } from "./password-hash.server.ts";
import { COMMON_PASSWORD } from "./password-texts.ts";

const RESET_MS = 60 * 60 * 1000;

/** Emails a reset link if the account exists. Takes the same time and returns the same result if it does not. */
export async function requestReset(
  context: AppLoadContext,
  request: Request,
  email: string,
): Promise<{ ok: true } | TooMany> {
  const allowed = await limitAttempts(context, request, "recover", email);
  if (!allowed.ok) return allowed;
  const sending = emailReset(context, new URL(request.url).origin, email.trim()).catch((error) =>
    logError("reset not emailed", error, { request_id: context.requestId }),
  );
  context.waitUntil(sending);
  return { ok: true };
}

async function emailReset({ db, env }: AppLoadContext, origin: string, email: string): Promise<void> {
  const [account] = await db
    .select({ userId: profiles.userId, email: profiles.email })
    .from(profiles)
    .where(eq(profiles.email, email))
    .limit(1);
  if (!account) return;
  const { token, digest } = makeEmailToken();
  const { userId } = account;
  await db.batch([
    db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
    db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + RESET_MS }),
  ]);
  await sendEmail(env, resetEmail(account.email, `${origin}/reset-password?${new URLSearchParams({ token })}`));
}

/** Returns whether a reset link is still valid. */
export async function isResetToken(db: Db, token: string): Promise<boolean> {
  return (await usableReset(db, token)).length === 1;
}

export type ResetRefusal = "link_expired" | "common_password";
export type Reset = { ok: true } | { ok: false; reason: ResetRefusal };

export const RESET_ERRORS: Record<ResetRefusal, string> = {
  link_expired: "This link was used or has expired. Request a new one.",
  common_password: COMMON_PASSWORD,
};

/** Sets a new password: consumes the token, ends every session and closes the legacy path in one transaction. */
export async function resetPassword(
  context: AppLoadContext,
  request: Request,
  input: { token: string; password: string },
): Promise<Reset> {
  const { db } = context;
  if (isCommonPassword(input.password)) return { ok: false, reason: "common_password" };
  if (!(await isResetToken(db, input.token))) return { ok: false, reason: "link_expired" };
  const passwordHash = await hashPassword(input.password);
  const owner = usableReset(db, input.token);
  const [changed] = await db.batch([
    db.update(users).set({ passwordHash }).where(inArray(users.id, owner)).returning({ email: users.email }),
    db
      .update(tempMysqlPasswords)
      .set({ migrated: true, mysqlPasswordHash: null })
      .where(inArray(tempMysqlPasswords.userId, owner)),
    endSessionsWhere(db, inArray(authSessions.userId, owner)),
    db.delete(emailChanges).where(inArray(emailChanges.userId, owner)),
    // Last, because the statements above select by the token.
    db.update(passwordResets).set({ usedAt: Date.now() }).where(inArray(passwordResets.userId, owner)),
  ]);
  const [account] = changed;
  if (!account) return { ok: false, reason: "link_expired" };
  await forgetAccountAttempts(context, "sign_in", account.email);
  notifyPasswordChange(context, request, account.email);
  return { ok: true };
}

/** Emails a notice of the change without delaying the response. */
export function notifyPasswordChange(context: AppLoadContext, request: Request, email: string): void {
  const link = `${new URL(request.url).origin}/reset-password`;
  const sending = sendEmail(context.env, passwordChangedEmail(email, link)).catch((error) =>
    logError("notice not emailed", error, { request_id: context.requestId }),
  );
  context.waitUntil(sending);
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
