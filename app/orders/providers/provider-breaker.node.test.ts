import { expect, test } from "vitest";
import { type Breaker, breakerAfter, needsProbe } from "./provider-link.server.ts";

const NOW = 1_000_000;
const CLOSED: Breaker = { failures: 0, openUntil: 0 };

test("opens after five failures in a row, for longer after each probe that fails, up to 45 seconds", () => {
  let breaker = CLOSED;
  const waits = Array.from({ length: 8 }, () => {
    breaker = breakerAfter({ ...breaker, openUntil: 0 }, { failed: true }, NOW);
    return breaker.openUntil === 0 ? 0 : breaker.openUntil - NOW;
  });
  expect(waits).toEqual([0, 0, 0, 0, 15_000, 30_000, 45_000, 45_000]);
  expect(breaker.failures).toBe(8);
});

test("asks for a probe from the fifth failure on, until a call succeeds", () => {
  expect([4, 5, 6].map((failures) => needsProbe({ failures }))).toEqual([false, true, true]);
  expect(needsProbe(breakerAfter({ failures: 9, openUntil: 0 }, { failed: false }, NOW))).toBe(false);
});

test("waits for as long as a response asks for, also after a success, and never for less than it waits already", () => {
  expect(breakerAfter(CLOSED, { failed: false, retryAfterMs: 7000 }, NOW)).toEqual({
    failures: 0,
    openUntil: NOW + 7000,
  });
  expect(breakerAfter({ failures: 4, openUntil: 0 }, { failed: true, retryAfterMs: 60_000 }, NOW).openUntil).toBe(
    NOW + 60_000,
  );
  expect(breakerAfter({ failures: 4, openUntil: NOW + 60_000 }, { failed: true }, NOW).openUntil).toBe(NOW + 60_000);
  expect(breakerAfter({ failures: 2, openUntil: NOW + 5 }, { failed: false }, NOW)).toEqual({
    failures: 0,
    openUntil: NOW + 5,
  });
});
