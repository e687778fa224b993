import type { ActionFunctionArgs, AppLoadContext } from "@remix-run/cloudflare";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { type AgentAction, agentActionSchema, type RoomAction } from "#app/support/protocol/agent-actions.server.ts";
import { isSessionId } from "#app/support/protocol/session-id.ts";

/** Applies an agent's action to a conversation. The room broadcasts the result. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const viewer = await requireStaffCall(request, context);
  const id = requireTextId(params.id);
  const parsed = agentActionSchema.safeParse(body);
  if (!parsed.success) return Response.json({ error: "invalid_action" }, { status: 422 });
  const action = await resolveAssignee(context, parsed.data);
  if (!action) return Response.json({ error: "not_an_agent" }, { status: 422 });
  const by = { id: viewer.userId, name: viewer.fullName || "Support" };
  const done = isSessionId(id) && (await context.env.SUPPORT_ROOM.getByName(id).applyAction(by, action));
  return new Response(null, { status: done ? 204 : 404 });
}

export const loader = allowPostOnly;

/** Looks up the assignee. Returns null if that id is not an agent. */
async function resolveAssignee({ db }: AppLoadContext, action: AgentAction): Promise<RoomAction | null> {
  if (!("agentId" in action)) return action;
  const { agentId, ...rest } = action;
  if (agentId === null) return { ...rest, assignee: null };
  const assignee = (await listStaff(db)).find(({ id }) => id === agentId);
  return assignee ? { ...rest, assignee } : null;
}
