import type { AppLoadContext } from "@remix-run/cloudflare";
import { verificationStatements } from "#app/accounts/email-address/email-verification.server.ts";
import { recordAttempt, recordEvent } from "#app/accounts/events/security-events.server.ts";
import { forgetSignInAttempts, limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { withHashing } from "#app/accounts/password/hash-queue.server.ts";
import { weaknessOf } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_REASONS } from "#app/accounts/password/password-texts.ts";
import { newSession, sessionByPassword } from "#app/accounts/session/auth-sessions.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { databaseMessage } from "#app/db/db.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import {
  type CheckedCredentials,
  checkCredentials,
  type LogInRefusal,
  selectAccount,
  selectCredentials,
} from "./check-credentials.server.ts";
import { completeLogIn, prepareSignIn, type SignedIn } from "./complete-sign-in.server.ts";
import { createAccount, SIGN_UP_ERRORS, type SignUpRefusal } from "./create-account.server.ts";
import { LOG_IN_TOASTS, logInErrorText, SUSPENDED_TEXT } from "./log-in-texts.ts";
import { pendingLogInToken } from "./pending-log-in.server.ts";

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

/** The password was right, and a second factor has to follow. `token` names the log-in that waits for it. */
export type PendingSecondStep = { ok: true; isPending: true; token: string };

/** Logs in: counts the attempt, checks the credentials, starts a session unless a second factor has to follow. */
export async function logIn(
  context: AppLoadContext,
  visit: Visit,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | PendingSecondStep | Refused> {
  const { db, env, requestId } = context;
  const begun = await beginLogIn(context, visit, email);
  if (!begun.ok) return begun.refused;
  let isMigrated = false;
  try {
    const hashed = await withHashing(context, visit, (hashing) =>
      checkCredentials(db, { ...begun, password }, hashing),
    );
    if (!hashed.ok) return refuseTooMany(hashed);
    const checked = hashed.value;
    if (!checked.ok) return refuseChecked(context, visit, email, checked);
    isMigrated = checked.how !== "current";
    const ended = await endOrRetry(context, visit, email, { ...begun, checked });
    // The password has changed meanwhile, so it is a wrong one now.
    return ended ?? refuseChecked(context, visit, email, { reason: "already_migrated" });
  } catch (error) {
    logError("log-in failed", error, { request_id: requestId });
    return refuseLogIn({ reason: isMigrated ? "migrated_not_signed_in" : "failed" }, env.LOGIN_ERRORS);
  }
}

/** Counts the attempt and reads the account, in one batch, which is the same whether there is an account or not. */
async function beginLogIn(context: AppLoadContext, visit: Visit, email: string) {
  const { db, env } = context;
  const { device, read } = selectCredentials(db, visit, email);
  try {
    const counted = await limitAttempts(context, visit, "sign_in", { account: email, device }, ...read);
    if (!counted.ok) return { ok: false, refused: refuseTooMany(counted) } as const;
    const [[account], [target]] = counted.read;
    return { ok: true, account, target, isKnownDevice: counted.isKnownDevice, device } as const;
  } catch (error) {
    logError("account lookup failed", error);
    const refused = refuseLogIn({ reason: "database_error", message: databaseMessage(error) }, env.LOGIN_ERRORS);
    return { ok: false, refused } as const;
  }
}

type Begun = Extract<Awaited<ReturnType<typeof beginLogIn>>, { ok: true }>;
type Checked = CheckedCredentials & { ok: true };

/**
 * Ends the log-in, once more if the account has changed since it was read. Returns null if the password has, or the address
 * is another account's.
 */
async function endOrRetry(
  context: AppLoadContext,
  visit: Visit,
  email: string,
  { device, isKnownDevice, checked }: Pick<Begun, "device" | "isKnownDevice"> & { checked: Checked },
): Promise<SignedIn | PendingSecondStep | Refused | null> {
  const { db } = context;
  const caller = { account: email, device: isKnownDevice && device ? device.digest : null };
  const forget = forgetSignInAttempts(db, visit, caller);
  const ended = await endLogIn(context, visit, checked, forget);
  if (ended) return ended;
  const [account] = await selectAccount(db, email, device);
  const isSame = account?.userId === checked.account.userId && account.passwordHash === checked.passwordHash;
  return isSame ? endLogIn(context, visit, { ...checked, account }, forget) : null;
}

/** Refuses a log-in after its credentials were checked, and records the attempt unless the fault is ours. */
function refuseChecked(context: AppLoadContext, visit: Visit, email: string, refusal: LogInRefusal): Refused {
  if (!FAULTS.has(refusal.reason)) recordAttempt(context, visit, email, "log_in_failed");
  return refuseLogIn(refusal, context.env.LOGIN_ERRORS);
}

/**
 * Lets in whoever had the right password, as far as the account allows, and forgets their attempts in the same batch.
 * Returns null and changes nothing if the account isn't any more what was read.
 */
async function endLogIn(
  context: AppLoadContext,
  visit: Visit,
  { account, passwordHash, how }: Checked,
  forget: ReturnType<typeof forgetSignInAttempts>,
): Promise<SignedIn | PendingSecondStep | Refused | null> {
  const { db } = context;
  const { userId } = account;
  if (account.suspendedAt !== null) {
    recordEvent(context, visit, userId, "denied", { reason: "suspended" });
    return SUSPENDED;
  }
  if (account.hasSecondStep) {
    await db.batch(forget);
    return { ok: true, isPending: true, token: await pendingLogInToken(context, { userId, passwordHash, how }) };
  }
  const session = sessionByPassword(db, { userId, passwordHash, visit });
  return completeLogIn(context, visit, { userId, session, history: account, toast: LOG_IN_TOASTS[how] }, forget);
}

/**
 * Signs up: counts the attempt, creates the account, emails a link that confirms its address, starts a session. `next` is
 * the path that the link's page leads to.
 */
export async function signUp(
  context: AppLoadContext,
  visit: Visit,
  input: { email: string; password: string; fullName: string; next?: string },
): Promise<SignedIn | Refused> {
  const { db, env } = context;
  const allowed = await limitAttempts(context, visit, "sign_up", { account: input.email });
  if (!allowed.ok) return refuseTooMany(allowed);
  const weak = await weaknessOf(env, input.password, input);
  if (weak) return refuseSignUp(weak);
  const { next, ...account } = input;
  const userId = randomKey();
  const verification = await verificationStatements(context, visit, { userId, email: input.email }, next);
  const session = newSession(db, { userId, visit });
  const { start, statements, finish } = await prepareSignIn(context, visit, { userId, session, history: null });
  const also = [...verification, start, ...statements];
  const hashed = await withHashing(context, visit, (hashing) =>
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
