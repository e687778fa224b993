/** How long the first of several messages waits for the others before one write to D1. */
const BATCH_MS = 150;
/** The shortest time between two writes of an active room: the database, shared by all rooms, is the bottleneck. */
const WRITE_EVERY_MS = 2000;
/** The same while messages come faster than people type. */
const WRITE_EVERY_WHEN_BUSY_MS = 5000;
const BUSY_MESSAGES = 10;
/** Shortens the interval by up to 30 %, so that rooms that started together do not write at the same instant. */
const JITTER = 0.3;

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/** Returns the ms to wait before the next write. `lastMessages`: how many the last write held. `random` in [0, 1). */
export function writeDelay(sinceLastMs: number, lastMessages: number, random: number): number {
  const every = lastMessages < BUSY_MESSAGES ? WRITE_EVERY_MS : WRITE_EVERY_WHEN_BUSY_MS;
  return Math.max(BATCH_MS, Math.round(every * (1 - JITTER * random)) - sinceLastMs);
}

/** Returns the ms to wait before retrying a failed write. */
export function retryDelay(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}
