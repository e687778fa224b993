import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { parseRating } from "#app/support/protocol/rating.ts";
import { authorizeRoom, NO_STORE, refuse } from "./room-request.server.ts";

/** Stores the visitor's rating of a closed conversation. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const { room, identity } = await authorizeRoom(request, context, requireTextId(params.id));
  const rating = parseRating(body);
  if (rating === null) return refuse("bad_frame", 422);
  if (identity.side !== "user" || !(await room().rate(rating))) return refuse("not_now", 409);
  return new Response(null, { status: 204, headers: NO_STORE });
}

export const loader = allowPostOnly;
