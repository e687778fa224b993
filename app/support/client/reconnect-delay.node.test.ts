import { expect, test } from "vitest";
import { reconnectDelay } from "./reconnect-delay.ts";

test("waits 1, 2, 5 and then 10 seconds between connection attempts, within the jitter", () => {
  expect([0, 1, 2, 3, 99].map((failures) => reconnectDelay(failures, 0.5))).toEqual([1000, 2000, 5000, 10_000, 10_000]);
  expect(reconnectDelay(0, 0)).toBe(850);
  expect(reconnectDelay(0, 0.999)).toBeGreaterThan(1100);
});
