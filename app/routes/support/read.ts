import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { parseRead } from "#app/support/protocol/frames.ts";
import { authorizeRoom, NO_STORE, refuse } from "./room-request.server.ts";

/** Moves the read mark, for a browser without a socket. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const { room, identity } = await authorizeRoom(request, context, requireTextId(params.id));
  const parsed = parseRead(body);
  if (!parsed) return refuse("bad_frame", 422);
  await room().markRead(identity, parsed.seq);
  return new Response(null, { status: 204, headers: NO_STORE });
}

export const loader = allowPostOnly;
