import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { fileHeaders, fileKey } from "#app/support/room/room-files.server.ts";
import { enterRoom, refuse } from "./enter-room.server.ts";

/** A file of the conversation, for its own people and the team. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { room } = await enterRoom(request, context, requireTextId(params.id));
  const file = await room.file(requireTextId(params.file));
  const stored = file && (await context.env.UPLOADS.get(fileKey(file.id)));
  if (!file || !stored) throw refuse("not_found", 404);
  return new Response(stored.body, { headers: fileHeaders(file) });
}
