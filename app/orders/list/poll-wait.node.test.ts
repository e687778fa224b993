import { expect, test } from "vitest";
import { MAX_RECENT_WAIT_MS, RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { MINUTE_MS } from "#app/time.ts";
import { FIRST_WAIT_MS, MAX_WAIT_MS, pollWait } from "./poll-wait.ts";

const NOW = Date.UTC(2026, 0, 15);

test("waits longer after each poll without a change, and less long for recent orders", () => {
  const waits = (placedAt: number) => {
    const seen = [FIRST_WAIT_MS];
    for (let polls = 0; polls < 6; polls++) seen.push(pollWait(seen.at(-1) ?? 0, placedAt, NOW));
    return seen;
  };
  expect(waits(NOW - 59 * MINUTE_MS)).toEqual([2000, 3000, 4500, 5000, 5000, 5000, 5000]);
  expect(waits(NOW - 61 * MINUTE_MS)).toEqual([2000, 3000, 4500, 6750, 10_125, MAX_WAIT_MS, MAX_WAIT_MS]);
});

test("leaves two seconds for the calls, so that a recent order's change shows within 15 s", () => {
  expect(RECENT_ROUND_MS + MAX_RECENT_WAIT_MS).toBeLessThanOrEqual(13_000);
});
