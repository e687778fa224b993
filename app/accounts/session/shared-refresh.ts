import { readStored, type StoredSession, store } from "./stored-session.ts";

/**
 * Lets one tab refresh at a time. Each tab has its own copy of the session, and presenting a refresh token that another
 * tab has used would end the session for all of them.
 */

const LOCK = "growline.session.refresh";
/** Same as in the library, which refreshes three ticks of 30 s before the token expires. */
const FRESH_MS = 3 * 30_000;
const REFRESH_PATH = "/auth/v1/token?grant_type=refresh_token";
const JSON_HEADERS = { "Content-Type": "application/json" };

type Claims = { sub?: string; email?: string; session_id?: string };

/** Returns the `fetch` for the library. After `over` is aborted it sends nothing and discards late responses. */
export function sharedRefreshFetch(over: AbortSignal): typeof fetch {
  const send: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, { ...init, signal: over });
      const isKnown = response.ok || (await isRefusal(response));
      // The library discards the session at any other status below 500, too.
      return isKnown || response.status >= 500 ? response : new Response(null, { status: 503 });
    } catch (error) {
      // The library would retry, and report each failure.
      if (over.aborted) return loggedOut();
      throw error;
    }
  };
  return (input, init) =>
    String(input).includes(REFRESH_PATH) ? inTurn(() => refresh(send, input, init)) : send(input, init);
}

/**
 * Runs `work` in one tab at a time. This tab may see what another has stored a moment late. The server then returns the
 * same tokens for the same refresh token, within its reuse interval.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Undefined on plain http.
  const locks: LockManager | undefined = navigator.locks;
  return locks ? await locks.request(LOCK, work) : work();
}

/** Returns whether our server refused the session. A failure, a limit or a firewall says nothing about the session. */
async function isRefusal(response: Response): Promise<boolean> {
  if (![400, 401, 403].includes(response.status)) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof (body as { error_code?: unknown } | null)?.error_code === "string";
}

/** Restores the web session's lost cookie from the stored session. Discards the stored session if it is refused. */
export function restoreWebSession(over: AbortSignal): Promise<boolean> {
  return inTurn(async () => {
    const stored = readStored();
    if (!stored) return false;
    const body = JSON.stringify({ refresh_token: stored.refresh_token });
    const response = await fetch(REFRESH_PATH, { method: "POST", headers: JSON_HEADERS, body, signal: over });
    if (response.ok) store((await response.json()) as StoredSession);
    else if (await isRefusal(response)) store(null);
    return response.ok;
  });
}

/**
 * Returns the tokens of the session in the cookie, or null if there are none. If they are refused, discards what is stored
 * of another log-in.
 */
export function requestTokens(sessionId: string, over: AbortSignal): Promise<StoredSession | null> {
  return inTurn(async () => {
    const stored = readStored();
    // Another tab has requested them already.
    if (stored && claimsOf(stored.access_token).session_id === sessionId) return stored;
    const path = "/auth/v1/token?grant_type=cookie";
    const response = await fetch(path, { method: "POST", headers: JSON_HEADERS, body: "{}", signal: over });
    if (response.ok) return (await response.json()) as StoredSession;
    if (await isRefusal(response)) store(null);
    return null;
  });
}

/** Parses the claims without verifying them. Returns no claims for an invalid token. */
export function claimsOf(accessToken: string): Claims {
  const [, payload = ""] = accessToken.split(".");
  try {
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as Claims;
  } catch {
    return {};
  }
}

async function refresh(send: typeof fetch, input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { refresh_token: asked } = JSON.parse(String(init?.body)) as StoredSession;
  const stored = readStored();
  if (stored && stored.refresh_token !== asked && isFresh(stored)) return responseOf(stored);
  const body = JSON.stringify({ refresh_token: stored?.refresh_token ?? asked });
  const response = await send(input, { ...init, body });
  if (!response.ok) return response;
  const session = (await response.clone().json()) as StoredSession;
  // Another tab has logged out, and its storage event hasn't arrived here yet.
  if (stored && !readStored()) return loggedOut();
  // While this tab holds the lock, so that the next tab finds it.
  store(session);
  return response;
}

function isFresh(stored: StoredSession): boolean {
  return stored.expires_at * 1000 - Date.now() > FRESH_MS;
}

/** Returns the session that another tab got, in the shape of the server's response. */
function responseOf(stored: StoredSession): Response {
  const { sub, email } = claimsOf(stored.access_token);
  const user = { id: sub, email, aud: "authenticated", app_metadata: {}, user_metadata: {} };
  const expires_in = Math.round(stored.expires_at - Date.now() / 1000);
  return Response.json({ ...stored, token_type: "bearer", expires_in, user });
}

function loggedOut(): Response {
  return Response.json({ code: 400, error_code: "session_expired", msg: "Logged out" }, { status: 400 });
}
