import { readStored, type StoredSession, store } from "./stored-session.ts";

/**
 * All tabs refresh as one. Each has its own copy of the session, and a refresh token that another tab has used up would
 * end the session for all of them.
 */

const LOCK = "growline.session.refresh";
/** As early as the library itself refreshes: three ticks of 30 s before the end. */
const FRESH_MS = 3 * 30_000;
const REFRESH_PATH = "/auth/v1/token?grant_type=refresh_token";
const JSON_HEADERS = { "Content-Type": "application/json" };

type Claims = { sub?: string; email?: string; session_id?: string };

/** The library's `fetch`. After `over` nothing is sent, and nothing that arrives is kept. */
export function sharedRefreshFetch(over: AbortSignal): typeof fetch {
  const send: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, { ...init, signal: over });
    } catch (error) {
      // The library would try again and report each failure.
      if (over.aborted) return signedOut();
      throw error;
    }
  };
  return (input, init) =>
    String(input).includes(REFRESH_PATH) ? inTurn(() => refresh(send, input, init)) : send(input, init);
}

/**
 * One after the other over all tabs. A browser may show this tab what another has stored only a moment later; the
 * server answers the same token in the same way within its reuse interval.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Absent on a plain http address.
  const locks: LockManager | undefined = navigator.locks;
  return locks ? await locks.request(LOCK, work) : work();
}

/** Makes the web session's lost cookie anew out of the stored session, which is discarded when that fails. */
export function restoreWebSession(over: AbortSignal): Promise<boolean> {
  return inTurn(async () => {
    const stored = readStored();
    if (!stored) return false;
    const body = JSON.stringify({ refresh_token: stored.refresh_token });
    const response = await fetch(REFRESH_PATH, { method: "POST", headers: JSON_HEADERS, body, signal: over });
    store(response.ok ? ((await response.json()) as StoredSession) : null);
    return response.ok;
  });
}

/** The tokens of the session that the cookie names; null when it has ended. */
export function takeTokens(sessionId: string, over: AbortSignal): Promise<StoredSession | null> {
  return inTurn(async () => {
    const stored = readStored();
    // Another tab was first.
    if (stored && claimsOf(stored.access_token).session_id === sessionId) return stored;
    const path = "/auth/v1/token?grant_type=cookie";
    const response = await fetch(path, { method: "POST", headers: JSON_HEADERS, body: "{}", signal: over });
    return response.ok ? ((await response.json()) as StoredSession) : null;
  });
}

/** Read, not verified: good for what the browser tells itself. */
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
  if (stored && stored.refresh_token !== asked && isFresh(stored)) return answerOf(stored);
  const body = JSON.stringify({ refresh_token: stored?.refresh_token ?? asked });
  const response = await send(input, { ...init, body });
  if (!response.ok) return response;
  const session = (await response.clone().json()) as StoredSession;
  // Another tab has signed out, and its word is still on the way to this one.
  if (stored && !readStored()) return signedOut();
  // Before the turn ends, so that the next tab finds it.
  store(session);
  return response;
}

function isFresh(stored: StoredSession): boolean {
  return stored.expires_at * 1000 - Date.now() > FRESH_MS;
}

/** Returns the session that another tab got, in the shape of the server's response. */
function answerOf(stored: StoredSession): Response {
  const { sub, email } = claimsOf(stored.access_token);
  const user = { id: sub, email, aud: "authenticated", app_metadata: {}, user_metadata: {} };
  const expires_in = Math.round(stored.expires_at - Date.now() / 1000);
  return Response.json({ ...stored, token_type: "bearer", expires_in, user });
}

function signedOut(): Response {
  return Response.json({ code: 400, error_code: "session_expired", msg: "Logged out" }, { status: 400 });
}
