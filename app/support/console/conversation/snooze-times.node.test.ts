import { expect, test } from "vitest";
import { snoozeTimes } from "./snooze-times.ts";

/** 2026-11-23 is a Monday. */
const at = (day: number, hour = 15) => new Date(2026, 10, day, hour, 30);
const times = (now: Date) =>
  Object.fromEntries(snoozeTimes(now).map(({ label, until }) => [label, new Date(until).toString().slice(0, 24)]));

test("offers hours from now, the next mornings, and no time at all", () => {
  expect(times(at(25))).toEqual({
    "1 hour": "Wed Nov 25 2026 16:30:00",
    "3 hours": "Wed Nov 25 2026 18:30:00",
    "Until tomorrow morning": "Thu Nov 26 2026 09:00:00",
    "Until Monday morning": "Mon Nov 30 2026 09:00:00",
    "Until the visitor writes": expect.any(String),
  });
});

test("means the next Monday on a Monday, and offers it once on a Sunday", () => {
  expect(times(at(23))["Until Monday morning"]).toBe("Mon Nov 30 2026 09:00:00");
  expect(times(at(29))).toMatchObject({ "Until tomorrow morning": "Mon Nov 30 2026 09:00:00" });
  expect(times(at(29))).not.toHaveProperty("Until Monday morning");
});
