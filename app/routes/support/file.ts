import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { hasTag } from "#app/http/responses/conditional.ts";
import { fileHeaders, fileKey, fileTag } from "#app/support/room/room-files.server.ts";
import { authorizeRoom, refuse } from "./room-request.server.ts";

/** Serves a file of the conversation to its visitor and to the team. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { room } = await authorizeRoom(request, context, requireTextId(params.id));
  const file = await room().file(requireTextId(params.file));
  if (file && hasTag(request, fileTag(file))) return new Response(null, { status: 304, headers: fileHeaders(file) });
  const stored = file && (await context.env.UPLOADS.get(fileKey(file.id)));
  if (!file || !stored) throw refuse("not_found", 404);
  return new Response(stored.body, { headers: fileHeaders(file) });
}
