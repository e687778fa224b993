import type { AppLoadContext } from "@remix-run/cloudflare";
import { recordAttempt, recordEvent } from "#app/accounts/events/security-events.server.ts";
import { forgetSignInAttempts, limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import { startSession, startVerifiedSession } from "#app/accounts/session/auth-sessions.server.ts";
import { webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { logError } from "#app/http/log.ts";
import { checkCredentials, type LogInRefusal } from "./check-credentials.server.ts";
import { createAccount, SIGN_UP_ERRORS } from "./create-account.server.ts";
import { LOG_IN_TOASTS, logInErrorText } from "./log-in-texts.ts";

/** `code` is an error code of @supabase/auth-js. `headers` belong on the response. */
export type Refused = {
  ok: false;
  status: number;
  code: string;
  text: string;
  field: "email" | "password" | null;
  headers: Record<string, string>;
};
/** `cookie` is a Set-Cookie header. `toast` is for the next page. */
export type SignedIn = { ok: true; userId: string; sessionId: string; cookie: string; toast: string | null };

/** Logs in: counts the attempt, checks the credentials, starts a session. */
export async function logIn(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string },
): Promise<SignedIn | Refused> {
  const { db, env, requestId } = context;
  const caller = { account: input.email };
  const allowed = await limitAttempts(context, request, "sign_in", caller);
  if (!allowed.ok) return refuseTooMany(allowed);
  let isMigrated = false;
  try {
    const checked = await checkCredentials(db, input);
    if (!checked.ok) {
      if (!FAULTS.has(checked.reason)) recordAttempt(context, request, input.email, "log_in_failed");
      return refuseLogIn(checked, env.LOGIN_ERRORS);
    }
    isMigrated = checked.how !== "current";
    const sessionId = await startVerifiedSession(db, { ...checked, request });
    // The password has changed meanwhile, so it is a wrong one now.
    if (sessionId === null) {
      recordAttempt(context, request, input.email, "log_in_failed");
      return refuseLogIn({ reason: "already_migrated" }, env.LOGIN_ERRORS);
    }
    recordEvent(context, request, checked.userId, "log_in");
    await forgetSignInAttempts(context, request, caller);
    return await signedIn(context, request, checked.userId, sessionId, LOG_IN_TOASTS[checked.how]);
  } catch (error) {
    logError("log-in failed", error, { request_id: requestId });
    return refuseLogIn({ reason: isMigrated ? "migrated_not_signed_in" : "failed" }, env.LOGIN_ERRORS);
  }
}

/** Signs up: counts the attempt, creates the account, starts a session. */
export async function signUp(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string; fullName: string },
): Promise<SignedIn | Refused> {
  const allowed = await limitAttempts(context, request, "sign_up", { account: input.email });
  if (!allowed.ok) return refuseTooMany(allowed);
  const created = await createAccount(context.db, input);
  if (created.ok) {
    const sessionId = await startSession(context.db, { userId: created.userId, request });
    recordEvent(context, request, created.userId, "signed_up");
    return signedIn(context, request, created.userId, sessionId, null);
  }
  const code = created.reason === "email_taken" ? "user_already_exists" : "weak_password";
  return { ok: false, status: 422, code, headers: {}, ...SIGN_UP_ERRORS[created.reason] };
}

async function signedIn(
  context: AppLoadContext,
  request: Request,
  userId: string,
  sessionId: string,
  toast: string | null,
): Promise<SignedIn> {
  return { ok: true, userId, sessionId, cookie: await webSessionCookie(context, request, sessionId), toast };
}

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
