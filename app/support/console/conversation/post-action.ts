import type { AgentAction } from "#app/support/protocol/agent-actions.ts";

/**
 * Asks for an act by fetch: a form whose request fails would put the error page in the place of the conversation. What
 * came of it is told by the room. False: nothing was changed.
 */
export async function postAction(sessionId: string, action: AgentAction): Promise<boolean> {
  try {
    const response = await fetch(`/admin/support/${sessionId}/actions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(action),
    });
    return response.ok;
  } catch {
    return false;
  }
}
