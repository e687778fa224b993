import type { ActionFunctionArgs, AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { SECOND_FACTOR_NEEDED } from "#app/accounts/factors/factor-texts.ts";
import { logInInput } from "#app/accounts/forms/account-input.ts";
import { limitAttempts, type TooMany } from "#app/accounts/password/attempts.server.ts";
import {
  errorResponse,
  readJson,
  sessionResponse,
  tokenRefusalResponse,
} from "#app/accounts/session/token-responses.server.ts";
import { refreshTokens, type TokenResult, tokensOfSession } from "#app/accounts/session/token-sessions.server.ts";
import { cookieSessionId, webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { signedInResponse } from "#app/accounts/sign-in/signed-in-response.server.ts";
import { sessionOfRefreshToken } from "#app/accounts/tokens/refresh-tokens.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

const REFRESH_TOKEN_MAX_CHARACTERS = 200;
const refreshInput = z.object({ refresh_token: z.string().max(REFRESH_TOKEN_MAX_CHARACTERS) });

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  switch (new URL(request.url).searchParams.get("grant_type")) {
    case "password":
      return byPassword(request, context);
    case "refresh_token":
      return byRefreshToken(request, context);
    case "cookie":
      return byCookie(request, context);
    default:
      return errorResponse(400, "validation_failed", "Unsupported grant_type");
  }
}

export const loader = allowPostOnly;

async function byPassword(request: Request, context: AppLoadContext): Promise<Response> {
  const body = await readJson(request, logInInput);
  if (!body.ok) return body.response;
  const visit = await readVisit(context, request);
  const result = await logIn(context, visit, body.input);
  if (!result.ok) return errorResponse(result.status, result.code, result.text, { headers: result.headers });
  // The client's MFA calls assume a session of one factor, which we don't start. Its passkey calls log in.
  if (result.isPending) return errorResponse(403, "insufficient_aal", SECOND_FACTOR_NEEDED);
  return signedInResponse(context, visit, result);
}

async function byRefreshToken(request: Request, context: AppLoadContext): Promise<Response> {
  const body = await readJson(request, refreshInput);
  if (!body.ok) return body.response;
  const token = body.input.refresh_token;
  const [account = ""] = token.split(".");
  const visit = await readVisit(context, request);
  const allowed = await limitAttempts(context, visit, "refresh", { account });
  if (!allowed.ok) return tooManyRefreshes(allowed, token, context);
  const refreshed = await refreshTokens(context.db, context.env.SESSION_SECRET, token);
  if (!refreshed.ok && refreshed.reason === "reused") {
    recordEvent(context, visit, refreshed.userId, "session_ended", { reason: "token_reused" });
  }
  return respondWithTokens(refreshed, request, context);
}

/**
 * A client whose clock is fast refreshes at each call. It keeps its session and waits after 503 only, so that is what a
 * token of ours gets. After 429 it would log out.
 */
function tooManyRefreshes({ text, headers }: TooMany, token: string, { env }: AppLoadContext): Response {
  const isOurs = sessionOfRefreshToken(env.SESSION_SECRET, token) !== null;
  return errorResponse(isOurs ? 503 : 429, "over_request_rate_limit", text, { headers });
}

/** Issues tokens to a browser that logged in by form: a grant type of our own. */
async function byCookie(request: Request, context: AppLoadContext): Promise<Response> {
  const body = await readJson(request, z.object({}));
  if (!body.ok) return body.response;
  const sessionId = await cookieSessionId(context, request);
  if (!sessionId) return errorResponse(401, "no_authorization", "Not logged in");
  return respondWithTokens(await tokensOfSession(context.db, context.env.SESSION_SECRET, sessionId), request, context);
}

async function respondWithTokens(result: TokenResult, request: Request, context: AppLoadContext): Promise<Response> {
  if (!result.ok) return tokenRefusalResponse(result.reason);
  return sessionResponse(result.tokens, await webSessionCookie(context, request, result.tokens.sessionId));
}
