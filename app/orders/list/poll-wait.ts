import { MAX_RECENT_WAIT_MS, RECENT_MS } from "#app/orders/rules/recent-orders.ts";

export const FIRST_WAIT_MS = 2000;
export const MAX_WAIT_MS = 15_000;
const SLOWER = 1.5;

/**
 * Returns the wait in ms before the next poll after one that showed no change.
 * @param placedAt when the newest open order was placed (ms)
 */
export function pollWait(wait: number, placedAt: number, now: number): number {
  return Math.min(wait * SLOWER, now - placedAt < RECENT_MS ? MAX_RECENT_WAIT_MS : MAX_WAIT_MS);
}
