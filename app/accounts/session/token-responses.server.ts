import type { z } from "zod";
import { ACCESS_TOKEN_SECONDS } from "#app/accounts/tokens/access-tokens.server.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import type { TokenRefusal, Tokens, TokenUser } from "./token-sessions.server.ts";

/** Builds the responses that the npm client @supabase/auth-js 2 reads (its lib/types and lib/fetch). */

const NO_STORE = { "Cache-Control": "no-store" };

export function sessionResponse(
  { accessToken, refreshToken, user }: Tokens,
  cookie: string,
  now = Date.now(),
): Response {
  const body = {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: Math.floor(now / 1000) + ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken,
    user: userShape(user),
  };
  return Response.json(body, { headers: { ...NO_STORE, "Set-Cookie": cookie } });
}

export function userResponse(user: TokenUser): Response {
  return Response.json(userShape(user), { headers: NO_STORE });
}

/** Builds an error response. The client keeps its session and retries after a status of 500 or above only. */
export function errorResponse(
  status: number,
  code: string,
  text: string,
  { headers, ...fields }: { headers?: Record<string, string>; weak_password?: { reasons: string[] } } = {},
): Response {
  return Response.json(
    { code: status, error_code: code, msg: text, ...fields },
    { status, headers: { ...NO_STORE, ...headers } },
  );
}

const TOKEN_REFUSALS: Record<TokenRefusal, [status: number, code: string, text: string]> = {
  unknown: [400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found"],
  ended: [400, "session_expired", "Invalid Refresh Token: Session Expired"],
  reused: [400, "refresh_token_already_used", "Invalid Refresh Token: Already Used"],
  busy: [503, "unexpected_failure", "The session is being refreshed. Try again in a moment."],
};

export function tokenRefusalResponse(reason: TokenRefusal): Response {
  return errorResponse(...TOKEN_REFUSALS[reason]);
}

/**
 * Returns the parsed body, or the error response. Refuses a body that is not declared as JSON, because a
 * form on another site can send other types.
 */
export async function readJson<T extends z.ZodType>(
  request: Request,
  schema: T,
): Promise<{ ok: true; input: z.output<T> } | { ok: false; response: Response }> {
  if (!request.headers.get("Content-Type")?.startsWith("application/json")) {
    return { ok: false, response: errorResponse(400, "bad_json", "Send JSON") };
  }
  const body = await readJsonBody(request);
  const parsed = schema.safeParse(body);
  if (parsed.success) return { ok: true, input: parsed.data };
  if (body === undefined)
    return { ok: false, response: errorResponse(400, "bad_json", "Could not parse the body as JSON") };
  const [issue] = parsed.error.issues;
  const text = issue?.message ?? "Invalid input";
  const response =
    issue?.path[0] === "password"
      ? errorResponse(422, "weak_password", text, { weak_password: { reasons: ["length"] } })
      : errorResponse(400, "validation_failed", text);
  return { ok: false, response };
}

/** An address that is not confirmed has neither of the two times, as the client expects. */
function userShape(user: TokenUser) {
  const { id, email, fullName } = user;
  const confirmed = timeOf(user.emailConfirmedAt);
  const times = {
    last_sign_in_at: timeOf(user.lastSignInAt),
    created_at: timeOf(user.createdAt),
    updated_at: timeOf(user.updatedAt),
  };
  return {
    id,
    aud: "authenticated",
    role: "authenticated",
    email,
    email_confirmed_at: confirmed,
    confirmed_at: confirmed,
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { email, full_name: fullName },
    // Programs take an empty list after a sign-up for an address that is taken. Each account logs in by its address, and
    // such an identity has the account's id.
    identities: [
      {
        identity_id: id,
        id,
        user_id: id,
        identity_data: { sub: id, email, email_verified: confirmed !== undefined, phone_verified: false },
        provider: "email",
        email,
        ...times,
      },
    ],
    ...times,
    is_anonymous: false,
  };
}

function timeOf(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString();
}
