import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { SECOND_FACTOR_NEEDED } from "#app/accounts/factors/factor-texts.ts";
import { endSession, endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { errorResponse } from "#app/accounts/session/token-responses.server.ts";
import { forgetWebSession, readHeldViewer, readTokenViewer } from "#app/accounts/session/viewer.server.ts";
import { hasRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

const PROOF_NEEDED = "Log in again to log out your other devices.";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  // By cookie too, so that log-out ends the web session even if the access token has just expired.
  const viewer = (await readTokenViewer(request, context)) ?? (await readHeldViewer(request, context));
  const forget = { "Set-Cookie": await forgetWebSession(context, request) };
  if (!viewer) return errorResponse(401, "no_authorization", "Not logged in", { headers: forget });
  const visit = await readVisit(context, request);
  const scope = new URL(request.url).searchParams.get("scope") ?? "global";
  // Whoever has the password of staff alone must not log them out. Their own session they may end.
  switch (viewer.isHeld && scope !== "others" ? "local" : scope) {
    case "global":
      await endSessions(context.db, viewer.userId);
      recordEvent(context, visit, viewer.userId, "sessions_ended");
      return new Response(null, { status: 204, headers: forget });
    case "local":
      await endSession(context.db, viewer.userId, viewer.sessionId);
      recordEvent(context, visit, viewer.userId, "session_ended");
      return new Response(null, { status: 204, headers: forget });
    case "others":
      if (viewer.isHeld) return errorResponse(403, "insufficient_aal", SECOND_FACTOR_NEEDED);
      // As on the account page. Everywhere needs none, because it ends this session too.
      if (!hasRecentProof(viewer)) return errorResponse(400, "reauthentication_needed", PROOF_NEEDED);
      await endSessions(context.db, viewer.userId, viewer.sessionId);
      recordEvent(context, visit, viewer.userId, "sessions_ended");
      return new Response(null, { status: 204 });
    default:
      return errorResponse(400, "validation_failed", "Unsupported scope");
  }
}

export const loader = allowPostOnly;
