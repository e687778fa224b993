/** ms before the next try to connect, by how many have failed; the last one repeats. */
const RECONNECT_MS = [1000, 2000, 5000, 10_000] as const;
/** A restart cuts everyone off at once: they must not come back in the same instant. */
const JITTER = 0.3;

/** The first of several messages waits so long for the others on its way to D1. */
const STORE_AFTER_MS = 150;
/** A room that goes on talking writes to D1 so often at most: a database shared by all rooms is the narrow place. */
const STORE_EVERY_MS = 2000;
/** The same while it talks faster than people do, which nobody follows in a list of conversations. */
const STORE_BUSY_MS = 5000;
const BUSY_MESSAGES = 10;

const STORE_FIRST_MS = 500;
const STORE_LONGEST_MS = 60_000;

/** `random` in [0, 1). */
export function reconnectDelay(failures: number, random: number): number {
  const base = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? RECONNECT_MS[0];
  return Math.round(base * (1 + JITTER * (random - 0.5)));
}

/**
 * ms before the outbox writes, by how long ago it did so last, and how many messages it wrote then. `random` in [0, 1):
 * rooms that began together must not all write in the same instant.
 */
export function storeAfter(sinceLastMs: number, lastMessages: number, random: number): number {
  const every = lastMessages < BUSY_MESSAGES ? STORE_EVERY_MS : STORE_BUSY_MS;
  return Math.max(STORE_AFTER_MS, Math.round(every * (1 - JITTER * random)) - sinceLastMs);
}

/** ms before the outbox tries D1 again. */
export function storeDelay(failures: number): number {
  return Math.min(STORE_LONGEST_MS, STORE_FIRST_MS * 2 ** Math.min(failures, 10));
}
