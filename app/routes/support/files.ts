import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { dropBody, readAtMost } from "#app/http/requests/read-at-most.ts";
import { FILE_MAX_BYTES } from "#app/support/protocol/file-limits.ts";
import { parseClientId } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { startUpload } from "#app/support/room/chat-limits.server.ts";
import { fileKey, nameOfFile, typeOf } from "#app/support/room/room-files.server.ts";
import { authorizeRoom, NO_STORE, refuse, SEND_ERROR_STATUS } from "./room-request.server.ts";

/** Sends a file: `POST …/files?clientId=…&name=…` with the file as the body. */
export async function action(args: ActionFunctionArgs) {
  const { request, params, context } = args;
  requireMethod(request, ["POST"]);
  // Before, because the file may be large, and after, because its sender decides how long it takes.
  const { room, identity } = await authorizeRoom(request, context, requireTextId(params.id));
  const end = startUpload(request, identity.author);
  try {
    if (end) return await receiveFile(args, room, identity);
    await dropBody(request);
    return refuse("rate_limited", SEND_ERROR_STATUS.rate_limited);
  } finally {
    end?.();
  }
}

async function receiveFile(
  { request, params, context }: ActionFunctionArgs,
  before: Awaited<ReturnType<typeof authorizeRoom>>["room"],
  sender: Identity,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const clientId = parseClientId(query.get("clientId"));
  if (clientId === null) return refuse("bad_frame", 422);
  const admitted = await before().admitFile(sender, clientId);
  if (!admitted.ok || admitted.ack) await dropBody(request);
  if (!admitted.ok) return refuse(admitted.reason, SEND_ERROR_STATUS[admitted.reason]);
  if (admitted.ack) return Response.json(admitted.ack, { headers: NO_STORE });
  const content = await readAtMost(request, FILE_MAX_BYTES);
  if (!content) return refuse("too_large", 413);
  if (content.length === 0) return refuse("empty", 422);
  const { room, identity } = await authorizeRoom(request, context, requireTextId(params.id));
  const type = typeOf(content);
  if (type === null) return refuse("type_not_taken", 415);

  const name = nameOfFile(query.get("name") ?? "", type);
  const file = { id: randomHex(), name, type, size: content.length };
  await context.env.UPLOADS.put(fileKey(file.id), content);
  const result = await room().sendMessage(identity, { clientId, body: name, file }, "admitted");
  // The message was refused, or repeats one with another copy of the file.
  if (!(await room().file(file.id))) await context.env.UPLOADS.delete(fileKey(file.id));
  return result.ok
    ? Response.json(result.ack, { headers: NO_STORE })
    : refuse(result.reason, SEND_ERROR_STATUS[result.reason]);
}

export const loader = allowPostOnly;
