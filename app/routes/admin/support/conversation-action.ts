import type { ActionFunctionArgs, AppLoadContext } from "@remix-run/cloudflare";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { agentActionSchema, type ParsedAction, type RoomAction } from "#app/support/protocol/agent-actions.server.ts";
import { isSessionId } from "#app/support/protocol/session-id.ts";

/** Applies an agent's action to a conversation. The room broadcasts the result. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const viewer = await requireStaffCall(request, context);
  const id = requireTextId(params.id);
  const parsed = agentActionSchema.safeParse(body);
  if (!parsed.success) return Response.json({ error: "invalid_action" }, { status: 422 });
  const action = await resolveAgents(context, parsed.data);
  if (!action) return Response.json({ error: "not_an_agent" }, { status: 422 });
  const by = { id: viewer.userId, name: viewer.fullName || "Support" };
  const done = isSessionId(id) && (await context.env.SUPPORT_ROOM.getByName(id).applyAction(by, action));
  return new Response(null, { status: done ? 204 : 404 });
}

export const loader = allowPostOnly;

/** Looks up the agents that an action names. A mention of somebody else is left out. Returns null if the assignee is no agent. */
async function resolveAgents({ db }: AppLoadContext, action: ParsedAction): Promise<RoomAction | null> {
  const ids = [
    ...("mentions" in action ? action.mentions : []),
    ...("agentId" in action && action.agentId !== null ? [action.agentId] : []),
  ];
  const staff = ids.length > 0 ? await listStaff(db) : [];
  const assignee = "agentId" in action ? (staff.find(({ id }) => id === action.agentId) ?? null) : null;
  if ("agentId" in action && action.agentId !== null && !assignee) return null;
  const mentions = "mentions" in action ? staff.filter(({ id }) => action.mentions.includes(id)) : [];
  switch (action.action) {
    case "assign":
      return { action: "assign", assignee };
    case "note":
      return { ...action, mentions };
    case "reply": {
      const { agentId: _, ...rest } = action;
      return { ...rest, assignee, mentions };
    }
    default:
      return action;
  }
}
