import type { AppLoadContext } from "@remix-run/cloudflare";
import { knownDevice } from "#app/accounts/devices/known-devices.server.ts";
import { verificationStatements } from "#app/accounts/email-address/email-verification.server.ts";
import { recordAttempt, recordEvent } from "#app/accounts/events/security-events.server.ts";
import { factorsOf, hasSecondStep } from "#app/accounts/factors/factors.server.ts";
import { forgetSignInAttempts, limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { withHashing } from "#app/accounts/password/hash-queue.server.ts";
import { weaknessOf } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_REASONS } from "#app/accounts/password/password-texts.ts";
import { startSession, startVerifiedSession } from "#app/accounts/session/auth-sessions.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import { checkCredentials, type LogInRefusal } from "./check-credentials.server.ts";
import { completeSignIn, type SignedIn } from "./complete-sign-in.server.ts";
import { createAccount, SIGN_UP_ERRORS, type SignUpRefusal } from "./create-account.server.ts";
import { LOG_IN_TOASTS, logInErrorText } from "./log-in-texts.ts";
import { pendingLogInCookie } from "./pending-log-in.server.ts";
import { isSuspended, SUSPENDED_TEXT } from "./suspended-account.server.ts";

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
  input: { email: string; password: string },
): Promise<SignedIn | PendingSecondStep | Refused> {
  const { db, env, requestId } = context;
  const caller = { account: input.email, device: await knownDevice(context, request, input) };
  const allowed = await limitAttempts(context, request, "sign_in", caller);
  if (!allowed.ok) return refuseTooMany(allowed);
  let isMigrated = false;
  try {
    const hashed = await withHashing(context, request, (hashing) => checkCredentials(db, input, hashing));
    if (!hashed.ok) return refuseTooMany(hashed);
    const checked = hashed.value;
    if (!checked.ok) {
      if (!FAULTS.has(checked.reason)) recordAttempt(context, request, input.email, "log_in_failed");
      return refuseLogIn(checked, env.LOGIN_ERRORS);
    }
    isMigrated = checked.how !== "current";
    if (await isSuspended(db, checked.userId)) {
      recordEvent(context, request, checked.userId, "denied", { reason: "suspended" });
      return SUSPENDED;
    }
    const mustFollow = async () => hasSecondStep(await factorsOf(db, checked.userId));
    const sessionId = (await mustFollow()) ? null : await startVerifiedSession(db, { ...checked, request });
    // A factor may have been added in between.
    if (sessionId === null && (await mustFollow())) {
      await forgetSignInAttempts(context, request, caller);
      return { ok: true, isPending: true, cookie: await pendingLogInCookie(context, request, checked) };
    }
    // The password has changed meanwhile, so it is a wrong one now.
    if (sessionId === null) {
      recordAttempt(context, request, input.email, "log_in_failed");
      return refuseLogIn({ reason: "already_migrated" }, env.LOGIN_ERRORS);
    }
    await forgetSignInAttempts(context, request, caller);
    const { userId, how } = checked;
    return await completeSignIn(context, request, { userId, sessionId, toast: LOG_IN_TOASTS[how] });
  } catch (error) {
    logError("log-in failed", error, { request_id: requestId });
    return refuseLogIn({ reason: isMigrated ? "migrated_not_signed_in" : "failed" }, env.LOGIN_ERRORS);
  }
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
  const allowed = await limitAttempts(context, request, "sign_up", { account: input.email });
  if (!allowed.ok) return refuseTooMany(allowed);
  const weak = await weaknessOf(context.env, input.password, input);
  if (weak) return refuseSignUp(weak);
  const { next, ...account } = input;
  const userId = crypto.randomUUID();
  const also = await verificationStatements(context, request, { userId, email: input.email }, next);
  const hashed = await withHashing(context, request, (hashing) =>
    createAccount(context.db, { ...account, userId, also }, hashing),
  );
  if (!hashed.ok) return refuseTooMany(hashed);
  const created = hashed.value;
  if (created.ok) {
    sendQueuedSoon(context);
    const sessionId = await startSession(context.db, { userId: created.userId, request });
    return completeSignIn(context, request, { userId: created.userId, sessionId, isNew: true });
  }
  return refuseSignUp(created.reason);
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
