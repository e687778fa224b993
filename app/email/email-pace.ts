import { MINUTE_MS } from "#app/time.ts";
import type { SendOutcome } from "./email-outcome.ts";

const FIRST_WAIT_MS = 5000;
const MAX_WAIT_MS = 10 * MINUTE_MS;
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 2 * MINUTE_MS;
/** So many emails must fail in a row until the email API counts as down. */
const FAILING_EMAILS = 3;
/** Spreads the retries of emails that failed at the same moment. */
const JITTER_RATIO = 0.2;

/** Returns the wait in ms after an email's failed attempt number `attempts`. `random` is between 0 and 1. */
export function retryWait(attempts: number, random: number): number {
  return grown(FIRST_WAIT_MS, 3, attempts - 1, MAX_WAIT_MS, random);
}

/**
 * A dispatcher's memory of the email API. It may be lost: then the dispatcher finds out again. `failing`: the ids of
 * emails that failed since the last success. `failures`: the rounds since the API seems to be down.
 */
export type EmailMemory = { failing: Set<string>; failures: number; pausedUntil: number };

export function newEmailMemory(): EmailMemory {
  return { failing: new Set(), failures: 0, pausedUntil: 0 };
}

/** `outcome`: null if the email API was not called. */
export type Attempt = { id: string; outcome: SendOutcome | null };

/**
 * Pauses as long as the email API asks, and longer each round while it takes nothing. One email that keeps failing does
 * not mean that: the others must not wait for it.
 */
export function adjustPace(memory: EmailMemory, attempts: Attempt[], now: number, random: number): void {
  const called = attempts.filter(({ outcome }) => outcome !== null);
  if (called.length === 0) return;
  const retries = called.flatMap(({ id, outcome }) => (outcome?.kind === "retry" ? [{ id, ...outcome }] : []));
  const asked = Math.max(0, ...retries.filter(({ isBusy }) => isBusy).map(({ waitMs }) => waitMs));
  if (retries.length < called.length) {
    memory.failing.clear();
    memory.failures = 0;
  } else if (asked === 0) {
    for (const { id } of retries) memory.failing.add(id);
    if (memory.failing.size >= FAILING_EMAILS) memory.failures += 1;
  }
  const grownPause = memory.failures > 0 ? grown(FIRST_PAUSE_MS, 2, memory.failures - 1, MAX_PAUSE_MS, random) : 0;
  const pause = asked || grownPause;
  if (pause > 0) memory.pausedUntil = now + pause;
}

function grown(first: number, factor: number, steps: number, max: number, random: number): number {
  const wait = Math.min(first * factor ** Math.min(steps, 20), max);
  return Math.round(wait * (1 + JITTER_RATIO * random));
}
