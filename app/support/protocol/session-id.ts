/** Local-storage key of this browser's session id. */
export const SESSION_KEY = "support_session_id";
/** The draft of the form that starts a conversation. */
export const START_DRAFT = "support-start";

const SESSION_ID = /^(?:user_[\w-]{1,64}|anon_\d{1,15}_[0-9a-f]{32})$/;

export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value);
}

export function userSessionId(userId: string): string {
  return `user_${userId}`;
}

/** Returns null for an anonymous session. */
export function userIdOf(sessionId: string): string | null {
  return sessionId.startsWith("user_") ? sessionId.slice("user_".length) : null;
}

/** `random`: 32 hex digits, which make the id unguessable. */
export function newAnonymousSessionId(now: number, random: string): string {
  return `anon_${now}_${random}`;
}

export function isAnonymous(sessionId: string): boolean {
  return sessionId.startsWith("anon_");
}
