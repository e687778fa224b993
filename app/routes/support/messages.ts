import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { callObject } from "#app/http/call-object.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { parseSend } from "#app/support/protocol/frames.ts";
import { parseHistoryQuery } from "#app/support/protocol/history-query.ts";
import { authorizeRoom, NO_STORE, refuse, SEND_ERROR_STATUS } from "./room-request.server.ts";

/** Returns the messages after `since` for a browser without a socket, or a page of those before `before`. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { room } = await authorizeRoom(request, context, requireTextId(params.id));
  const { since, ...part } = parseHistoryQuery(new URL(request.url).searchParams);
  const history = await callObject(async () => room().read(since, part));
  if (!history) throw refuse("not_found", 404);
  return Response.json(history, { headers: NO_STORE });
}

/** Sends a message, for a browser without a socket. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  const body = await readJsonBody(request);
  const { room, identity } = await authorizeRoom(request, context, requireTextId(params.id));
  const message = parseSend(body);
  if (!message) return refuse("bad_frame", 422);
  const result = await callObject(async () => room().sendMessage(identity, message));
  return result.ok
    ? Response.json(result.ack, { headers: NO_STORE })
    : refuse(result.reason, SEND_ERROR_STATUS[result.reason]);
}
