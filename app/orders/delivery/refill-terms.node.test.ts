import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { refillDeadline, refillState, statedRefillDays } from "./refill-terms.ts";

test.each([
  ["Instagram Followers [R30]", 30],
  ["TikTok Likes | R 30", null],
  ["Followers - 30 Days Refill", 30],
  ["Followers ♻️ 365 days auto-refill", 365],
  ["Instagram followers, 30-day refill", 30],
  ["Refill: 60 Days", 60],
  ["Likes, refilled for 30 days", 30],
  ["30D Refill", 30],
  ["90 Days Guarantee", 90],
  ["Lifetime Refill", null],
  ["No refill, 30 days old accounts", null],
  ["R30 or 60 days refill", null],
  ["30 days refill R30", 30],
  ["R0", null],
  ["4R30", null],
  ["50 posts in 30 days", null],
  ["Likes 1000/day, instant", null],
  ["Views 9999 days refill", null],
])("reads the refill days of %s as %s", (name, days) => expect(statedRefillDays(name)).toBe(days));

test("ends a promised refill at its exact end, whatever became of the service", () => {
  const until = refillDeadline(30, 5) ?? 0;
  expect(until).toBe(5 + 30 * DAY_MS);
  for (const refill of [true, false]) {
    const terms = { refill, refillDays: 30, refillUntil: until };
    expect([until - 1, until, until + 1].map((now) => refillState(terms, now))).toEqual([
      "offered",
      "expired",
      "expired",
    ]);
  }
});

test("leaves an order without promised days to its service", () => {
  expect(refillDeadline(null, 5)).toBeNull();
  const open = { refillDays: null, refillUntil: null };
  expect([true, false].map((refill) => refillState({ ...open, refill }, 1e15))).toEqual(["offered", "none"]);
});
