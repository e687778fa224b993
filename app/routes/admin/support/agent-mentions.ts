import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { listMentions, readMentions } from "#app/support/inbox/mentions.server.ts";

const readInput = z.object({ sessionId: z.string().max(100) });

/** Returns the caller's own mentions in team notes. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireStaffCall(request, context);
  return Response.json(await listMentions(context.supportDb, userId), { headers: { "Cache-Control": "no-store" } });
}

/** Marks the caller's own mentions in a conversation as read. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  const body = await readJsonBody(request);
  const { userId } = await requireStaffCall(request, context);
  const parsed = readInput.safeParse(body);
  if (!parsed.success) return Response.json({ error: "invalid_session" }, { status: 422 });
  await readMentions(context.supportDb, userId, parsed.data.sessionId, Date.now());
  return new Response(null, { status: 204 });
}
