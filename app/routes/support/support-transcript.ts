import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { makeEmail, queueEmail, sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { transcriptEmail, transcriptSchema } from "#app/support/email/transcript.server.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { limitTranscripts } from "#app/support/room/chat-limits.server.ts";
import { authorizeRoom, NO_STORE, refuse } from "./room-request.server.ts";

/** Emails a conversation to its visitor. Only an agent closes one, so nobody can email strangers arbitrary text. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const sessionId = requireTextId(params.id);
  const { room, identity } = await authorizeRoom(request, context, sessionId);
  const parsed = transcriptSchema.safeParse(await readJsonBody(request));
  if (!parsed.success) return refuse("bad_email", 422);
  const history = await room.read(0);
  if (identity.side !== "user" || history?.session.status !== "closed") return refuse("not_now", 409);
  const allowed = await limitTranscripts(context.db, sessionId);
  if (!allowed.ok) return refuse("too_many", 429, { "Retry-After": String(allowed.retryAfterSeconds) });
  try {
    const email = transcriptEmail(parsed.data, history, publicOrigin(context.env, request));
    const queued = await makeEmail(context.env, "transcript", email, { userId: userIdOf(sessionId) });
    await queueEmail(context.db, queued);
  } catch (error) {
    logError("transcript not queued", error, { request_id: context.requestId });
    return refuse("not_sent", 503);
  }
  sendQueuedSoon(context);
  return new Response(null, { status: 204, headers: NO_STORE });
}

export const loader = allowPostOnly;
