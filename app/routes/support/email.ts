import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { isAnonymous } from "#app/support/protocol/session-id.ts";
import { parseEmail } from "#app/support/protocol/start-input.ts";
import { limitEmailChanges } from "#app/support/room/chat-limits.server.ts";
import { authorizeRoom, NO_STORE, refuse, SEND_ERROR_STATUS } from "./room-request.server.ts";

/** Stores where a visitor without an account wants unread answers. An account's conversation has the account's address. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const sessionId = requireTextId(params.id);
  const body = await readJsonBody(request);
  const { room, identity } = await authorizeRoom(request, context, sessionId);
  if (identity.side !== "user" || !isAnonymous(sessionId)) return refuse("not_now", 409);
  const email = parseEmail(body);
  if (email === null) return refuse("bad_email", 422);
  const allowed = await limitEmailChanges(context.db, request, sessionId);
  if (!allowed.ok) return refuse("too_many", 429, { "Retry-After": String(allowed.retryAfterSeconds) });
  const result = await room().setVisitorEmail(identity, email);
  return result === "ok"
    ? new Response(null, { status: 204, headers: NO_STORE })
    : refuse(result, SEND_ERROR_STATUS[result]);
}

export const loader = allowPostOnly;
