import type { ActionFunctionArgs, AppLoadContext } from "@remix-run/cloudflare";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { requireMethod, takesPostOnly } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { type Act, actSchema, type RoomAct } from "#app/support/protocol/agent-actions.ts";
import { isSessionId } from "#app/support/protocol/session-id.ts";

/** What one of the team does with a conversation. Everybody who looks at it hears of it from the room. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const viewer = await requireRole(request, context, "agent", "admin");
  const id = params.id ?? "";
  const parsed = actSchema.safeParse(await readJsonBody(request));
  if (!parsed.success) return Response.json({ error: "bad_act" }, { status: 422 });
  const act = await resolve(context, parsed.data);
  if (!act) return Response.json({ error: "not_of_the_team" }, { status: 422 });
  const by = { id: viewer.userId, name: viewer.fullName || "Support" };
  const done = isSessionId(id) && (await context.env.SUPPORT_ROOM.getByName(id).act(by, act));
  return new Response(null, { status: done ? 204 : 404 });
}

export const loader = takesPostOnly;

/** Null when it is to be assigned to somebody who is not of the team. */
async function resolve({ db }: AppLoadContext, act: Act): Promise<RoomAct | null> {
  if (act.act !== "assign") return act;
  if (act.agentId === null) return { act: "assign", assignee: null };
  const assignee = (await listStaff(db)).find(({ id }) => id === act.agentId);
  return assignee ? { act: "assign", assignee } : null;
}
