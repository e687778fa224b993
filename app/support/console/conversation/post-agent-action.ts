import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";

/**
 * Posts an agent's action by fetch, because a failed form submission would replace the conversation with the error page.
 * The room broadcasts the result. Returns false if nothing was changed.
 */
export async function postAgentAction(sessionId: string, action: AgentAction): Promise<boolean> {
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
