import type { AppLoadContext } from "@remix-run/cloudflare";
import { forgetAccountAttempts, limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { startSession } from "#app/accounts/session/auth-sessions.server.ts";
import { webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { logError } from "#app/http/log.ts";
import { type LogIn, type LogInRefusal, logIn, SIGN_UP_ERRORS, signUp } from "./credentials-check.server.ts";
import { LOG_IN_TOASTS, logInErrorText } from "./log-in-texts.ts";

/** `code` is the one that @supabase/auth-js knows; `headers` go into the answer. */
export type Refused = {
  ok: false;
  status: number;
  code: string;
  text: string;
  field: "email" | "password" | null;
  headers: Record<string, string>;
};
/** `cookie` is a Set-Cookie header; `toast` is to be shown on the next page. */
export type SignedIn = { ok: true; userId: string; sessionId: string; cookie: string; toast: string | null };

/** Everything between the sign-in form and the session: limits, the password, the migration, the cookie. */
export async function signIn(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string },
): Promise<SignedIn | Refused> {
  const allowed = await limitAttempts(context, request, "sign_in", input.email);
  if (!allowed.ok) return { ...allowed, code: "over_request_rate_limit", field: null };
  const result = await tryLogIn(context, input);
  if (!result.ok) return refuse(result, context.env.LOGIN_ERRORS);
  try {
    await forgetAccountAttempts(context, "sign_in", input.email);
    return { ...(await open(context, request, result.userId)), toast: LOG_IN_TOASTS[result.how] };
  } catch (error) {
    logError("session not started", error, { request_id: context.requestId });
    return refuse({ reason: result.how === "current" ? "failed" : "migrated_not_signed_in" }, context.env.LOGIN_ERRORS);
  }
}

/** The same for the sign-up form. */
export async function register(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string; fullName: string },
): Promise<SignedIn | Refused> {
  const allowed = await limitAttempts(context, request, "sign_up", input.email);
  if (!allowed.ok) return { ...allowed, code: "over_request_rate_limit", field: null };
  const made = await signUp(context.db, input);
  if (made.ok) return { ...(await open(context, request, made.userId)), toast: null };
  const code = made.reason === "email_taken" ? "user_already_exists" : "weak_password";
  return { ok: false, status: 422, code, headers: {}, ...SIGN_UP_ERRORS[made.reason] };
}

async function open(context: AppLoadContext, request: Request, userId: string): Promise<Omit<SignedIn, "toast">> {
  const sessionId = await startSession(context.db, { userId, request });
  return { ok: true, userId, sessionId, cookie: await webSessionCookie(context, request, sessionId) };
}

async function tryLogIn(context: AppLoadContext, input: { email: string; password: string }): Promise<LogIn> {
  try {
    return await logIn(context.db, input);
  } catch (error) {
    logError("sign-in failed", error, { request_id: context.requestId });
    return { ok: false, reason: "failed" };
  }
}

function refuse(refusal: LogInRefusal, setting: string): Refused {
  const isFault =
    refusal.reason === "database_error" ||
    refusal.reason === "migration_failed" ||
    refusal.reason === "migrated_not_signed_in" ||
    refusal.reason === "failed";
  return {
    ok: false,
    status: isFault ? 503 : 400,
    code: isFault ? "unexpected_failure" : "invalid_credentials",
    text: logInErrorText(refusal, setting),
    field: null,
    headers: {},
  };
}
