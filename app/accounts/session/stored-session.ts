import { browserStorage } from "#app/components/storage/browser-storage.ts";

export const SESSION_KEY = "growline.session.v1";
/** The event that this page dispatches when it stores or removes the session. The app's shell then updates its copy. */
const CHANGED = "growline:session";

/** `expires_at` is the expiry of the access token, in seconds since 1970. */
export type StoredSession = { access_token: string; refresh_token: string; expires_at: number };

/** Returns the stored session, or null if there is no valid one. */
export function readStored(): StoredSession | null {
  try {
    const value: unknown = JSON.parse(browserStorage.get(SESSION_KEY) ?? "null");
    return isStored(value) ? value : null;
  } catch {
    return null;
  }
}

// Written by hand because every page loads this file, and zod is large.
function isStored(value: unknown): value is StoredSession {
  const session = value as Partial<Record<keyof StoredSession, unknown>> | null;
  return (
    typeof session?.access_token === "string" &&
    typeof session.refresh_token === "string" &&
    typeof session.expires_at === "number"
  );
}

/** Stores a session that has both tokens. Removes the stored one otherwise. */
export function store(session: Partial<StoredSession> | null): void {
  const { access_token, refresh_token, expires_at = 0 } = session ?? {};
  if (access_token && refresh_token) {
    browserStorage.set(SESSION_KEY, JSON.stringify({ access_token, refresh_token, expires_at }));
  } else {
    browserStorage.remove(SESSION_KEY);
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** Calls back when another tab removes the session. Returns the function that stops listening. */
export function onRemovedElsewhere(callback: () => void): () => void {
  const listen = (event: StorageEvent) => {
    // The key is null if the whole storage was cleared.
    if ((event.key === SESSION_KEY || event.key === null) && event.newValue === null) callback();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}
