import { expect, test } from "vitest";
import type { DeliveryTimes } from "./delivery-estimate.ts";
import { durationText, shortDeliveryText } from "./delivery-time.ts";

test("formats a duration in one or two units", () => {
  expect(durationText(400)).toBe("under a second");
  expect(durationText(1000)).toBe("1 second");
  expect(durationText(61_000)).toBe("1 minute 1 second");
  expect(durationText(5 * 60_000 + 59_000)).toBe("5 minutes");
  expect(durationText(3 * 3_600_000 + 20 * 60_000)).toBe("3 hours 20 minutes");
  expect(durationText(26 * 3_600_000)).toBe("1 day 2 hours");
});

test("says in a list what share is done when, and what that rests on", () => {
  const number = (value: number) => value.toLocaleString("en-US");
  const times = { p50Ms: 7_500_000, p90Ms: 18_000_000, completed: 1200, partial: 24, canceled: 6, open: 4 };
  const shown = (some: Partial<DeliveryTimes>) =>
    shortDeliveryText({ ...times, ...some }, number)?.replaceAll("\u00A0", " ");
  expect(shown({})).toBe("Half in 2 h 5 min, 9 of 10 in 5 h (1,234 orders, 2% partial, under 1% canceled)");
  expect(shown({ partial: 0, canceled: 0 })).toBe("Half in 2 h 5 min, 9 of 10 in 5 h (1,204 orders)");
  expect(shown({ p90Ms: null })).toBe("Half in 2 h 5 min (1,234 orders, 2% partial, under 1% canceled)");
  expect(shown({ p50Ms: null, p90Ms: null, canceled: 4000 })).toBe(
    "Delivery time not known (5,228 orders, under 1% partial, 77% canceled)",
  );
  expect(shortDeliveryText(null, number)).toBeNull();
});

test("keeps a number and its unit on one line", () => {
  const times = { p50Ms: 400, p90Ms: 200_000_000, completed: 10, partial: 0, canceled: 0, open: 0 };
  expect(shortDeliveryText(times, String)).toBe(
    "Half in under 1\u00A0s, 9 of 10 in 2\u00A0d\u00A07\u00A0h (10 orders)",
  );
});
