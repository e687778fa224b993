import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";

/** A lost response is asked for again after these times, in ms, if repeating the action does nothing twice. */
const RETRY_AFTER_MS = [500, 2000];

/**
 * Posts an agent's action by fetch, because a failed form submission would replace the conversation with the error page.
 * The room broadcasts the result. Returns false if nothing was changed.
 */
export async function postAgentAction(sessionId: string, action: AgentAction): Promise<boolean> {
  const delays = "clientId" in action ? RETRY_AFTER_MS : [];
  for (let tries = 0; ; tries += 1) {
    const result = await post(sessionId, action);
    const delay = delays[tries];
    if (result !== "lost" || delay === undefined) return result === "done";
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

async function post(sessionId: string, action: AgentAction): Promise<"done" | "refused" | "lost"> {
  try {
    const { ok, status } = await fetch(`/admin/support/${sessionId}/actions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(action),
    });
    return ok ? "done" : status >= 500 ? "lost" : "refused";
  } catch {
    return "lost";
  }
}
