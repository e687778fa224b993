import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requireMethod, takesPostOnly } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { parseRead } from "#app/support/protocol/frames.ts";
import { enterRoom, NO_STORE, readJson, refuse } from "./enter-room.server.ts";

/** The same as a `read` frame. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const { room, identity } = await enterRoom(request, context, requireTextId(params.id));
  const parsed = parseRead(await readJson(request));
  if (!parsed) return refuse("bad_frame", 422);
  await room.markRead(identity, parsed.seq);
  return new Response(null, { status: 204, headers: NO_STORE });
}

export const loader = takesPostOnly;
