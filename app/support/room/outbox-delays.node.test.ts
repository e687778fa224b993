import { expect, test } from "vitest";
import { retryDelay, writeDelay } from "./outbox-delays.ts";

test("writes the first message at once and those of an active room every two seconds", () => {
  const delays = [Number.POSITIVE_INFINITY, 10_000, 2000, 500, 0].map((ms) => writeDelay(ms, 1, 0));
  expect(delays).toEqual([150, 150, 150, 1500, 2000]);
});

test("writes every five seconds while messages come faster than people type, with jitter", () => {
  expect([10_000, 1000, 0].map((ms) => writeDelay(ms, 10, 0))).toEqual([150, 4000, 5000]);
  expect(writeDelay(0, 10, 0.999)).toBeLessThan(3600);
});

test("doubles the retry delay up to a minute", () => {
  expect([0, 1, 2, 20, 5000].map(retryDelay)).toEqual([500, 1000, 2000, 60_000, 60_000]);
});
