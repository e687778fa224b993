import { cutText } from "#app/cut-text.ts";
import { retryAfterWait } from "#app/http/outgoing/retry-after-wait.ts";
import { MINUTE_MS } from "#app/time.ts";

/** The outcome of one attempt to send a notification. */
export type PushOutcome =
  | { kind: "sent" }
  /** The device has turned notifications off, or lost them: nothing will ever arrive there. */
  | { kind: "gone" }
  /** No further attempt makes sense for this notification. */
  | { kind: "refused"; error: string }
  /** `waitMs`: how long the push service asks us to wait. */
  | { kind: "retry"; error: string; waitMs: number };

const MAX_ERROR_CHARACTERS = 300;
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 30 * MINUTE_MS;
const JITTER_RATIO = 0.2;

/** Reads a response of a web push service (RFC 8030). `retryAfter` is its header. */
export function outcomeOfStatus(status: number, retryAfter: string | null, now: number): PushOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (status === 404 || status === 410) return { kind: "gone" };
  const error = `HTTP ${status}`;
  if (status === 400 || status === 413) return { kind: "refused", error };
  // 401 and 403 are about our key, so they end once staff fix the setting.
  return { kind: "retry", error, waitMs: retryAfterWait(retryAfter, now) };
}

export function outcomeOfError(thrown: unknown): PushOutcome {
  const error = cutText(thrown instanceof Error ? thrown.message : String(thrown), MAX_ERROR_CHARACTERS);
  return { kind: "retry", error, waitMs: 0 };
}

/** Returns the wait in ms after failed attempt number `attempts`. `random` is between 0 and 1. */
export function backOff(attempts: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 3 ** Math.min(attempts - 1, 10));
  return Math.round(wait * (1 + JITTER_RATIO * random));
}
