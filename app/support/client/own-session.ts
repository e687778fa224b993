import * as v from "valibot";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { parseAs, parseSession, type SupportSession } from "#app/support/protocol/frames.ts";
import { isAnonymous, SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { moveFiles } from "./file-outbox.ts";
import { sendFirstMessage } from "./first-message.ts";
import { moveOutbox } from "./message-outbox.ts";

const own = v.object({
  session: v.unknown(),
  profile: v.nullable(v.object({ name: v.string(), email: v.string() })),
});

/** This browser's conversation, and what prefills the form that starts one. */
export type OwnSession = { session: SupportSession | null; profile: { name: string; email: string } | null };

/** Returns the conversation that this browser knows of. The account may have one from another browser. */
export function storedSessionId(): string | null {
  return browserStorage.get(SESSION_KEY);
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
export async function rememberSession(sessionId: string): Promise<void> {
  const before = storedSessionId();
  if (before !== null && before !== sessionId && isAnonymous(before)) {
    moveOutbox(browserStorage, before, sessionId);
    await moveFiles(before, sessionId);
  }
  browserStorage.set(SESSION_KEY, sessionId);
  sendFirstMessage(sessionId);
}
