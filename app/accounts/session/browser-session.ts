import { GoTrueClient, isAuthRetryableFetchError } from "@supabase/auth-js";
import { claimsOf, requestTokens, sharedRefreshFetch } from "./shared-refresh.ts";
import { readStored, type StoredSession, store } from "./stored-session.ts";

/**
 * Restores the stored session if it is the cookie's (`sessionId`), or else requests tokens for the cookie's session. The
 * library then keeps them fresh until `over` is aborted.
 */
export async function openBrowserSession(sessionId: string, over: AbortSignal, onLoggedOut: () => void): Promise<void> {
  const client = new GoTrueClient({
    url: `${location.origin}/auth/v1`,
    // The library warns if two clients of a page share a key.
    storageKey: sessionId,
    persistSession: false,
    autoRefreshToken: true,
    detectSessionInUrl: false,
    fetch: sharedRefreshFetch(over),
  });
  const { data } = client.onAuthStateChange((event, session) => {
    // The client starts without a session. That is not a log-out.
    if (event === "INITIAL_SESSION") return;
    store(session);
    if (event === "SIGNED_OUT") onLoggedOut();
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
    const result = await present(client, stored, over);
    // The next page tries again.
    if (result !== "refused") return result === "restored";
  }
  const issued = await requestTokens(sessionId, over);
  return issued !== null && (await present(client, issued, over)) === "restored";
}

/** Presents a session to the server. Discards what is stored if it is refused, but not if the server can't be reached. */
async function present(
  client: GoTrueClient,
  session: StoredSession,
  over: AbortSignal,
): Promise<"restored" | "refused" | "unreached"> {
  const { error } = await client.setSession(session);
  if (!error) return "restored";
  // A log-out aborts the refresh before the server ends the session. The log-out itself discards the tokens afterwards, which
  // is what tells the other tabs.
  if (over.aborted || isAuthRetryableFetchError(error)) return "unreached";
  store(null);
  return "refused";
}
