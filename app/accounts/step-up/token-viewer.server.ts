import type { AppLoadContext } from "@remix-run/cloudflare";
import { SECOND_FACTOR_NEEDED } from "#app/accounts/factors/factor-texts.ts";
import { factorsOf, lacksSecondStep } from "#app/accounts/factors/factors.server.ts";
import { errorResponse } from "#app/accounts/session/token-responses.server.ts";
import { readTokenViewer, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { isExpiredAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { bearerToken } from "#app/http/requests/bearer-token.ts";
import { hasRecentProof } from "./recent-proof.server.ts";

/**
 * Returns the viewer of a token endpoint that shows or changes factors. Throws 403 without a session, for one that the
 * password alone started although the account has a second step, and for held staff: they set up their first factor on
 * the website, with a setup link.
 */
export async function requireTokenViewer(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await readTokenViewer(request, context);
  if (!viewer) throw await noTokenViewer(request, context);
  if (viewer.isHeld || lacksSecondStep(viewer, await factorsOf(context.db, viewer.userId))) {
    throw errorResponse(403, "insufficient_aal", SECOND_FACTOR_NEEDED);
  }
  return viewer;
}

/** Does the same for what `requireRecentProof` guards on pages. Throws the client's code for a proof that is too old. */
export async function requireProvenTokenViewer(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await requireTokenViewer(request, context);
  if (!hasRecentProof(viewer)) {
    throw errorResponse(400, "reauthentication_needed", "Log in again, with a passkey if you have one.");
  }
  return viewer;
}

/**
 * Builds the response to an access token that names no running session. The client discards its session after
 * `session_not_found`, so a token that has only expired gets another code: the session behind it may still run.
 */
export async function noTokenViewer(request: Request, { env }: Pick<AppLoadContext, "env">): Promise<Response> {
  const hasExpired = await isExpiredAccessToken(env.SESSION_SECRET, bearerToken(request) ?? "");
  const code = hasExpired ? "bad_jwt" : "session_not_found";
  return errorResponse(403, code, "The access token is not valid, or its session has ended");
}
