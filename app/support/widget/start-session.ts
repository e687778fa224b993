import * as v from "valibot";
import { readOwnSession, rememberSession, storedSessionId } from "#app/support/client/own-session.ts";
import { parseAs, parseSession, type SupportSession } from "#app/support/protocol/frames.ts";
import { isAnonymous } from "#app/support/protocol/session-id.ts";
import type { StartInput } from "#app/support/protocol/start-input.ts";

const START_LOCK = "growline.support.start";
const START_FAILED = "Failed to start chat session";
const COOKIES_NEEDED =
  "Your browser blocks this site's cookies, and a chat needs one. Allow cookies and reload the page.";

const started = v.object({ session: v.optional(v.unknown()), error: v.optional(v.string()) });

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
    const isFirst = storedSessionId() === null;
    const response = await fetch("/support/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...start, session_id: storedSessionId() }),
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
