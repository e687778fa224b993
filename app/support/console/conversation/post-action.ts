import type { Act } from "#app/support/protocol/agent-actions.ts";

/**
 * Asks for an act by fetch: a form whose request fails would put the error page in the place of the conversation. What
 * came of it is told by the room. False: nothing was changed.
 */
export async function requestAct(sessionId: string, act: Act): Promise<boolean> {
  try {
    const response = await fetch(`/admin/support/${sessionId}/act`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(act),
    });
    return response.ok;
  } catch {
    return false;
  }
}
