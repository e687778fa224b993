import * as v from "valibot";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { parseAs, parseSession, type SupportSession } from "#app/support/protocol/frames.ts";
import { isAnonymous, SESSION_KEY } from "#app/support/protocol/session-id.ts";
import type { StartInput } from "#app/support/protocol/start-input.ts";
import { moveFiles } from "./file-outbox.ts";
import { sendFirstMessage } from "./first-message.ts";
import { moveOutbox } from "./message-outbox.ts";

const START_LOCK = "growline.support.start";
const START_FAILED = "Failed to start chat session";
const COOKIES_NEEDED =
  "Your browser blocks this site's cookies, and a chat needs one. Allow cookies and reload the page.";

const own = v.object({
  session: v.unknown(),
  profile: v.nullable(v.object({ name: v.string(), email: v.string() })),
});

const started = v.object({ session: v.optional(v.unknown()), error: v.optional(v.string()) });

/** This browser's conversation, and what prefills the form that starts one. */
export type OwnSession = { session: SupportSession | null; profile: { name: string; email: string } | null };

/** Returns whether this browser knows of no conversation. The account may have one from another browser. */
export function isFirstChat(): boolean {
  return browserStorage.get(SESSION_KEY) === null;
}

/** Reads the conversation that the cookies give access to. Throws if the request fails. */
export async function readOwnSession(): Promise<OwnSession> {
  const response = await fetch("/support/session");
  if (!response.ok) throw new Error(`the support session could not be read: ${response.status}`);
  const body = parseAs(own, await response.json());
  if (!body) throw new Error("the response is not a support session");
  const session = parseSession(body.session);
  if (session) await rememberSession(session.session_id);
  else browserStorage.remove(SESSION_KEY);
  return { session, profile: body.profile };
}

/**
 * Stores the session id. After a sign-in, unsent messages move from the anonymous session to the account's. What was
 * written before the conversation started is sent.
 */
async function rememberSession(sessionId: string): Promise<void> {
  const before = browserStorage.get(SESSION_KEY);
  if (before !== null && before !== sessionId && isAnonymous(before)) {
    moveOutbox(browserStorage, before, sessionId);
    await moveFiles(before, sessionId);
  }
  browserStorage.set(SESSION_KEY, sessionId);
  sendFirstMessage(sessionId);
}

export type Started = { ok: true; session: SupportSession } | { ok: false; error: string };

/** Starts a conversation, in one tab at a time, so that a second tab sends the first one's cookie. */
export async function startSession(start: StartInput): Promise<Started> {
  // Absent on a page served over plain http.
  const locks: LockManager | undefined = navigator.locks;
  return locks ? await locks.request(START_LOCK, () => requestSession(start)) : requestSession(start);
}

/** Each start without a cookie would leave a conversation behind. */
let dropsCookies = false;

async function requestSession(start: StartInput): Promise<Started> {
  if (dropsCookies || !navigator.cookieEnabled) return { ok: false, error: COOKIES_NEEDED };
  try {
    const isFirst = isFirstChat();
    const response = await fetch("/support/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...start, session_id: browserStorage.get(SESSION_KEY) }),
    });
    const body = parseAs(started, await response.json());
    const session = parseSession(body?.session);
    if (!session) return { ok: false, error: body?.error ?? START_FAILED };
    if (isFirst && isAnonymous(session.session_id)) {
      dropsCookies = (await readOwnSession()).session === null;
      if (dropsCookies) return { ok: false, error: COOKIES_NEEDED };
    }
    await rememberSession(session.session_id);
    return { ok: true, session };
  } catch {
    return { ok: false, error: START_FAILED };
  }
}
