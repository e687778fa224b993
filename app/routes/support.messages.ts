import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { identityIn, readCaller } from "#app/support/access.server.ts";
import type { Identity } from "#app/support/identity.ts";
import { sendSchema } from "#app/support/protocol.ts";

/** The room over HTTP, for when a socket cannot be had. */

const NO_STORE = { "Cache-Control": "no-store" };
const STATUS = { gone: 404, rate_limited: 429 } as const;

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { room } = await enter(request, context, params.id ?? "");
  const since = Number(new URL(request.url).searchParams.get("since"));
  const history = await room.read(since);
  if (!history) throw notFound();
  return Response.json(history, { headers: NO_STORE });
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const { room, identity } = await enter(request, context, params.id ?? "");
  const parsed = sendSchema.safeParse(await request.json().catch(() => null));
  if (!parsed.success) return refuse("bad_frame", 422);
  const said = await room.say(identity, parsed.data.clientId, parsed.data.body);
  return said.ok ? Response.json(said.ack, { headers: NO_STORE }) : refuse(said.reason, STATUS[said.reason]);
}

async function enter(
  request: Request,
  context: AppLoadContext,
  sessionId: string,
): Promise<{ room: ReturnType<Env["SUPPORT_ROOM"]["getByName"]>; identity: Identity }> {
  const caller = await readCaller(request, context.env, await readViewer(request, context));
  const identity = identityIn(sessionId, caller);
  if (!identity) throw notFound();
  return { room: context.env.SUPPORT_ROOM.getByName(sessionId), identity };
}

function notFound(): Response {
  return Response.json({ error: "not_found" }, { status: 404, headers: NO_STORE });
}

function refuse(error: string, status: number): Response {
  return Response.json({ error }, { status, headers: NO_STORE });
}
