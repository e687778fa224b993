export const SESSION_KEY = "growline.session.v1";
/** Told to this page when the session was stored or removed; the app's shell keeps a copy of its own. */
const CHANGED = "growline:session";

/** `expires_at` in seconds since 1970, of the access token. */
export type StoredSession = { access_token: string; refresh_token: string; expires_at: number };

/** Returns the stored session, or null if there is no valid one or storage is blocked. */
export function readStored(): StoredSession | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(SESSION_KEY) ?? "null");
    return isStored(value) ? value : null;
  } catch {
    return null;
  }
}

// By hand: this file is on every page, and zod is not.
function isStored(value: unknown): value is StoredSession {
  const session = value as Partial<Record<keyof StoredSession, unknown>> | null;
  return (
    typeof session?.access_token === "string" &&
    typeof session.refresh_token === "string" &&
    typeof session.expires_at === "number"
  );
}

/** Stores the session when both tokens are there, and removes what is stored when not. */
export function store(session: Partial<StoredSession> | null): void {
  const { access_token, refresh_token, expires_at = 0 } = session ?? {};
  try {
    if (access_token && refresh_token) {
      localStorage.setItem(SESSION_KEY, JSON.stringify({ access_token, refresh_token, expires_at }));
    } else {
      localStorage.removeItem(SESSION_KEY);
    }
  } catch {
    // Forbidden storage: the session lasts as long as the page.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** Calls back when another tab removes the session. Answers how to stop listening. */
export function onRemovedElsewhere(callback: () => void): () => void {
  const listen = (event: StorageEvent) => {
    // A null key: the whole storage was cleared.
    if ((event.key === SESSION_KEY || event.key === null) && event.newValue === null) callback();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}
