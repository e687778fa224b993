import { expect, test } from "vitest";
import { MINUTE_MS } from "#app/time.ts";
import { relativeTime } from "./relative-time.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

test("shows 'just now' for the last seconds even if the clocks differ slightly", () => {
  expect(relativeTime(NOW - 10_000, NOW)).toBe("just now");
  expect(relativeTime(NOW + 10_000, NOW)).toBe("just now");
});

test("uses the largest unit that fits at least once", () => {
  expect(relativeTime(NOW - MINUTE_MS, NOW)).toBe("1 minute ago");
  expect(relativeTime(NOW - 59 * MINUTE_MS, NOW)).toBe("59 minutes ago");
  expect(relativeTime(NOW - 119 * MINUTE_MS, NOW)).toBe("1 hour ago");
  expect(relativeTime(NOW - 26 * 60 * MINUTE_MS, NOW)).toBe("1 day ago");
  expect(relativeTime(NOW - 400 * 24 * 60 * MINUTE_MS, NOW)).toBe("1 year ago");
});

test("writes future times as future", () => {
  expect(relativeTime(NOW + 120 * MINUTE_MS, NOW)).toBe("in 2 hours");
});
