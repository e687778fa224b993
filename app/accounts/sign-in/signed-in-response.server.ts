import type { AppLoadContext } from "@remix-run/cloudflare";
import { sessionResponse, tokenRefusalResponse } from "#app/accounts/session/token-responses.server.ts";
import { tokensOfSession } from "#app/accounts/session/token-sessions.server.ts";
import { signedInCookies, type Visit } from "#app/accounts/visit/visit.server.ts";
import type { SignedIn } from "./complete-sign-in.server.ts";

/** Issues the tokens of a session that has just started, along with the cookies of a browser. */
export async function signedInResponse(
  { db, env }: AppLoadContext,
  visit: Visit,
  signedIn: SignedIn,
): Promise<Response> {
  const issued = await tokensOfSession(db, env.SESSION_SECRET, signedIn.sessionId);
  if (!issued.ok) return tokenRefusalResponse(issued.reason);
  const [session, device] = await signedInCookies(env, visit, signedIn);
  const response = sessionResponse(issued.tokens, session);
  response.headers.append("Set-Cookie", device);
  return response;
}
