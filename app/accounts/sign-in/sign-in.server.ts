import type { AppLoadContext } from "@remix-run/cloudflare";
import { type SentDevice, sentDevice } from "#app/accounts/devices/known-devices.server.ts";
import { verificationStatements } from "#app/accounts/email-address/email-verification.server.ts";
import { recordAttempt, recordEvent } from "#app/accounts/events/security-events.server.ts";
import { forgetSignInAttempts, limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { withHashing } from "#app/accounts/password/hash-queue.server.ts";
import { weaknessOf } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_REASONS } from "#app/accounts/password/password-texts.ts";
import { newSession, sessionByPassword } from "#app/accounts/session/auth-sessions.server.ts";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { databaseMessage } from "#app/db/db.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import {
  type CheckedCredentials,
  checkCredentials,
  type LogInRefusal,
  selectAccount,
  selectTargetRounds,
} from "./check-credentials.server.ts";
import { completeLogIn, prepareSignIn, type SignedIn } from "./complete-sign-in.server.ts";
import { createAccount, SIGN_UP_ERRORS, type SignUpRefusal } from "./create-account.server.ts";
import { LOG_IN_TOASTS, logInErrorText, SUSPENDED_TEXT } from "./log-in-texts.ts";
import { pendingLogInCookie } from "./pending-log-in.server.ts";

/** `code` is an error code of @supabase/auth-js. `headers` belong on the response. */
export type Refused = {
  ok: false;
  status: number;
  code: string;
  text: string;
  field: "email" | "password" | null;
  headers: Record<string, string>;
  weakPassword?: { reasons: string[] };
};

/** The password was right, and a second factor has to follow. `cookie` names the log-in that waits for it. */
export type PendingSecondStep = { ok: true; isPending: true; cookie: string };

/** Logs in: counts the attempt, checks the credentials, starts a session unless a second factor has to follow. */
export async function logIn(
  context: AppLoadContext,
  request: Request,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | PendingSecondStep | Refused> {
  const { db, env, requestId } = context;
  const sent = await sentDevice(context, request, email);
  const begun = await beginLogIn(context, request, email, sent);
  if (!begun.ok) return begun.refused;
  let isMigrated = false;
  try {
    const { account, target, device } = begun;
    const hashed = await withHashing(context, request, (hashing) =>
      checkCredentials(db, { account, target, password }, hashing),
    );
    if (!hashed.ok) return refuseTooMany(hashed);
    const checked = hashed.value;
    if (!checked.ok) {
      if (!FAULTS.has(checked.reason)) recordAttempt(context, request, email, "log_in_failed");
      return refuseLogIn(checked, env.LOGIN_ERRORS);
    }
    isMigrated = checked.how !== "current";
    const forget = forgetSignInAttempts(db, request, { account: email, device });
    const ended = await endLogIn(context, request, checked, forget);
    if (ended) return ended;
    const [changed] = await selectAccount(db, email, sent);
    const isSame = changed?.userId === checked.account.userId && changed.passwordHash === checked.passwordHash;
    const endedAfterChange = isSame && (await endLogIn(context, request, { ...checked, account: changed }, forget));
    if (endedAfterChange) return endedAfterChange;
    // The password has changed meanwhile, so it is a wrong one now.
    recordAttempt(context, request, email, "log_in_failed");
    return refuseLogIn({ reason: "already_migrated" }, env.LOGIN_ERRORS);
  } catch (error) {
    logError("log-in failed", error, { request_id: requestId });
    return refuseLogIn({ reason: isMigrated ? "migrated_not_signed_in" : "failed" }, env.LOGIN_ERRORS);
  }
}

/** Counts the attempt and reads the account, in one batch, which is the same whether there is an account or not. */
async function beginLogIn(context: AppLoadContext, request: Request, email: string, sent: SentDevice | null) {
  const { db, env } = context;
  try {
    const counted = await limitAttempts(
      context,
      request,
      "sign_in",
      { account: email, device: sent },
      selectAccount(db, email, sent),
      selectTargetRounds(db),
    );
    if (!counted.ok) return { ok: false, refused: refuseTooMany(counted) } as const;
    const [[account], [target]] = counted.read;
    return { ok: true, account, target, device: counted.isKnownDevice && sent ? sent.digest : null } as const;
  } catch (error) {
    logError("account lookup failed", error);
    const refused = refuseLogIn({ reason: "database_error", message: databaseMessage(error) }, env.LOGIN_ERRORS);
    return { ok: false, refused } as const;
  }
}

/**
 * Lets in whoever had the right password, as far as the account allows, and forgets their attempts in the same batch.
 * Returns null and changes nothing if the account isn't any more what was read.
 */
async function endLogIn(
  context: AppLoadContext,
  request: Request,
  { account, passwordHash, how }: CheckedCredentials & { ok: true },
  forget: ReturnType<typeof forgetSignInAttempts>,
): Promise<SignedIn | PendingSecondStep | Refused | null> {
  const { db } = context;
  const { userId } = account;
  if (account.suspendedAt !== null) {
    recordEvent(context, request, userId, "denied", { reason: "suspended" });
    return SUSPENDED;
  }
  if (account.hasSecondStep) {
    await db.batch(forget);
    return {
      ok: true,
      isPending: true,
      cookie: await pendingLogInCookie(context, request, { userId, passwordHash, how }),
    };
  }
  const session = sessionByPassword(db, { userId, passwordHash, request });
  return completeLogIn(context, request, { userId, session, history: account, toast: LOG_IN_TOASTS[how] }, forget);
}

/**
 * Signs up: counts the attempt, creates the account, emails a link that confirms its address, starts a session. `next` is
 * the path that the link's page leads to.
 */
export async function signUp(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string; fullName: string; next?: string },
): Promise<SignedIn | Refused> {
  const { db, env } = context;
  const allowed = await limitAttempts(context, request, "sign_up", { account: input.email });
  if (!allowed.ok) return refuseTooMany(allowed);
  const weak = await weaknessOf(env, input.password, input);
  if (weak) return refuseSignUp(weak);
  const { next, ...account } = input;
  const userId = randomKey();
  const verification = await verificationStatements(context, request, { userId, email: input.email }, next);
  const session = newSession(db, { userId, request });
  const { start, statements, finish } = await prepareSignIn(context, request, { userId, session, history: null });
  const also = [...verification, start, ...statements];
  const hashed = await withHashing(context, request, (hashing) =>
    createAccount(db, { ...account, userId, also }, hashing),
  );
  if (!hashed.ok) return refuseTooMany(hashed);
  if (!hashed.value.ok) return refuseSignUp(hashed.value.reason);
  sendQueuedSoon(context);
  return finish();
}

function refuseSignUp(reason: SignUpRefusal): Refused {
  const refused = { ok: false, status: 422, headers: {}, ...SIGN_UP_ERRORS[reason] } as const;
  if (reason === "email_taken") return { ...refused, code: "user_already_exists" };
  return { ...refused, code: "weak_password", weakPassword: WEAK_PASSWORD_REASONS[reason] };
}

const SUSPENDED: Refused = {
  ok: false,
  status: 403,
  code: "user_banned",
  text: SUSPENDED_TEXT,
  field: null,
  headers: {},
};

function refuseTooMany(refused: TooMany): Refused {
  return { ...refused, code: "over_request_rate_limit", field: null };
}

const FAULTS = new Set<LogInRefusal["reason"]>([
  "database_error",
  "migration_failed",
  "migrated_not_signed_in",
  "failed",
]);

function refuseLogIn(refusal: LogInRefusal, setting: string): Refused {
  const isFault = FAULTS.has(refusal.reason);
  return {
    ok: false,
    status: isFault ? 503 : 400,
    code: isFault ? "unexpected_failure" : "invalid_credentials",
    text: logInErrorText(refusal, setting),
    field: null,
    headers: {},
  };
}
