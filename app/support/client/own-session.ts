import * as v from "valibot";
import { parseSession, type SupportSession, take } from "#app/support/protocol/frames.ts";
import { isAnonymous, SESSION_KEY } from "#app/support/protocol/session-id.ts";
import type { StartRequest } from "#app/support/protocol/start-input.ts";
import { moveFiles } from "./file-outbox.ts";
import { moveOutbox } from "./message-outbox.ts";

/** The browser's own conversation: which it is, and how it starts. */

const START_LOCK = "growline.support.start";
const START_FAILED = "Failed to start chat session";

const answered = v.object({
  session: v.unknown(),
  profile: v.nullable(v.object({ name: v.string(), email: v.string() })),
});

export type OwnSession = { session: SupportSession | null; profile: { name: string; email: string } | null };

/** What the server knows by our cookies. Throws when it cannot be asked. */
export async function readOwnSession(): Promise<OwnSession> {
  const response = await fetch("/support/session");
  if (!response.ok) throw new Error(`the support session could not be read: ${response.status}`);
  const answer = take(answered, await response.json());
  if (!answer) throw new Error("the support session is not what it should be");
  const own = parseSession(answer.session);
  if (own) await rememberSession(own.session_id);
  else localStorage.removeItem(SESSION_KEY);
  return { session: own, profile: answer.profile };
}

/** A browser that has just signed in finds its account's session here in the place of its own. */
async function rememberSession(sessionId: string): Promise<void> {
  const before = localStorage.getItem(SESSION_KEY);
  if (before !== null && before !== sessionId && isAnonymous(before)) {
    moveOutbox(localStorage, before, sessionId);
    await moveFiles(before, sessionId);
  }
  localStorage.setItem(SESSION_KEY, sessionId);
}

export type Started = { ok: true; session: SupportSession } | { ok: false; error: string };

/** One tab after the other, so that the second one brings the first one's cookie. */
export async function startSession(start: StartRequest): Promise<Started> {
  // Absent on a plain http address.
  const locks: LockManager | undefined = navigator.locks;
  return locks ? await locks.request(START_LOCK, () => requestSession(start)) : requestSession(start);
}

async function requestSession(start: StartRequest): Promise<Started> {
  try {
    const response = await fetch("/support/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...start, session_id: localStorage.getItem(SESSION_KEY) }),
    });
    const answer = (await response.json()) as { session?: unknown; error?: unknown };
    const session = parseSession(answer.session);
    if (!session) return { ok: false, error: typeof answer.error === "string" ? answer.error : START_FAILED };
    await rememberSession(session.session_id);
    return { ok: true, session };
  } catch {
    return { ok: false, error: START_FAILED };
  }
}
