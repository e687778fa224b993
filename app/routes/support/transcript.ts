import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { readConfirmedEmail } from "#app/email/confirmed-email.server.ts";
import { makeEmail, queueEmail, sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { logError } from "#app/http/log.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { transcriptEmail, transcriptId, transcriptSchema } from "#app/support/email/transcript.server.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { limitTranscripts } from "#app/support/room/chat-limits.server.ts";
import { authorizeRoom, NO_STORE, refuse } from "./room-request.server.ts";

/**
 * Emails a closed conversation to its visitor: at the account's confirmed address, or at the one given when the chat was started.
 * Only an agent closes one.
 */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const sessionId = requireTextId(params.id);
  const body = await readJsonBody(request);
  const { room, identity } = await authorizeRoom(request, context, sessionId);
  const parsed = transcriptSchema.safeParse(body);
  if (!parsed.success) return refuse("bad_request", 422);
  const history = await room().read(0);
  if (identity.side !== "user" || history?.session.status !== "closed") return refuse("not_now", 409);
  const userId = userIdOf(sessionId);
  // The room may have an address that the account has given up since.
  const recipient = userId === null ? history.session.user_email : await readConfirmedEmail(context.db, userId);
  if (recipient === null) return userId === null ? refuse("no_email", 409) : refuse("email_unconfirmed", 403);
  const allowed = await limitTranscripts(context.db, request, { sessionId, recipient });
  if (!allowed.ok) return refuse("too_many", 429, { "Retry-After": String(allowed.retryAfterSeconds) });
  try {
    const email = transcriptEmail({ ...parsed.data, email: recipient }, history, publicOrigin(context.env, request));
    const id = transcriptId(recipient, history, Date.now());
    const queued = await makeEmail(context.env, "transcript", email, { userId, id });
    await queueEmail(context.db, queued);
  } catch (error) {
    logError("transcript not queued", error, { request_id: context.requestId });
    return refuse("not_sent", 503);
  }
  sendQueuedSoon(context);
  return new Response(null, { status: 204, headers: NO_STORE });
}

export const loader = allowPostOnly;
