import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { parseSend } from "#app/support/protocol/frames.ts";
import { enterRoom, NO_STORE, readJson, refuse, SAID_STATUS } from "./enter-room.server.ts";

/** The room over HTTP, for when a socket cannot be had. */

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { room } = await enterRoom(request, context, requireTextId(params.id));
  const since = Number(new URL(request.url).searchParams.get("since"));
  const history = await room.read(since);
  if (!history) throw refuse("not_found", 404);
  return Response.json(history, { headers: NO_STORE });
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  const { room, identity } = await enterRoom(request, context, requireTextId(params.id));
  const said = parseSend(await readJson(request));
  if (!said) return refuse("bad_frame", 422);
  const answer = await room.sendMessage(identity, said);
  return answer.ok
    ? Response.json(answer.ack, { headers: NO_STORE })
    : refuse(answer.reason, SAID_STATUS[answer.reason]);
}
