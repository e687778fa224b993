import { browserStorage, tabStorage } from "#app/components/storage/browser-storage.ts";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";

const LOOKED_KEY = "growline.support.looked";
/** Safari has no `requestIdleCallback`. */
const IDLE_AFTER_MS = 2000;

/**
 * Asks the server, once per tab and log-in, whether the account has a conversation that was started in another browser.
 * `found` is called if it has one.
 */
export function findConversation(accountSession: string, over: AbortSignal, found: () => void): void {
  if (tabStorage.get(LOOKED_KEY) === accountSession) return;
  whenIdle(async () => {
    if (over.aborted) return;
    try {
      const response = await fetch("/support/session");
      if (over.aborted || !response.ok) return;
      const { session } = (await response.json()) as { session: { session_id: string } | null };
      tabStorage.set(LOOKED_KEY, accountSession);
      if (!session || over.aborted) return;
      browserStorage.set(SESSION_KEY, session.session_id);
      found();
    } catch {
      // The next page looks again.
    }
  });
}

function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work);
  else setTimeout(work, IDLE_AFTER_MS);
}
