import { GoTrueClient, isAuthRetryableFetchError } from "@supabase/auth-js";
import { claimsOf, sharedRefreshFetch, takeTokens } from "./shared-refresh.ts";
import { readStored, store } from "./stored-session.ts";

/**
 * Restores the stored session when it is the one the cookie names (`sessionId`), else takes that one's tokens. From
 * then on the library keeps them fresh, until `over`.
 */
export async function openBrowserSession(sessionId: string, over: AbortSignal, onSignedOut: () => void): Promise<void> {
  const client = new GoTrueClient({
    url: `${location.origin}/auth/v1`,
    // One for each client of this page, or the library warns.
    storageKey: sessionId,
    persistSession: false,
    autoRefreshToken: true,
    detectSessionInUrl: false,
    fetch: sharedRefreshFetch(over),
  });
  const { data } = client.onAuthStateChange((event, session) => {
    // There is none in the beginning, and that is not a sign-out.
    if (event === "INITIAL_SESSION") return;
    store(session);
    if (event === "SIGNED_OUT") onSignedOut();
  });
  const end = () => {
    data.subscription.unsubscribe();
    void client.stopAutoRefresh();
  };
  over.addEventListener("abort", end);
  if (over.aborted) end();
  else if (!(await restore(client, sessionId, over))) end();
}

async function restore(client: GoTrueClient, sessionId: string, over: AbortSignal): Promise<boolean> {
  const stored = readStored();
  if (stored && claimsOf(stored.access_token).session_id === sessionId) {
    const { error } = await client.setSession(stored);
    if (!error) return true;
    // Not reached is not refused: the next page tries again.
    if (isAuthRetryableFetchError(error)) return false;
    store(null);
  }
  const taken = await takeTokens(sessionId, over);
  return taken !== null && (await client.setSession(taken)).error === null;
}
