const FIRST_MS = 10_000;
const MAX_MS = 3_600_000;

/** Returns the delay before the next attempt, in ms. `attempts` is the number of failed ones before the last. */
export function retryAfter(attempts: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** attempts);
}
