import { HOUR_MS, MINUTE_MS } from "#app/time.ts";

/** The schedule that Standard Webhooks suggests: ten attempts over about three days. */
const WAITS_MS = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Spreads the retries of deliveries that failed at the same moment. */
const JITTER_RATIO = 0.1;

/** Returns the time of the next attempt (ms since 1970), or null after the last one. `random` is between 0 and 1. */
export function nextAttempt(attempts: number, now: number, random: number): number | null {
  const wait = WAITS_MS[attempts - 1];
  return wait === undefined ? null : now + Math.round(wait * (1 + JITTER_RATIO * random));
}
