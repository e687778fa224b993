import { afterAll, beforeAll, expect, test } from "vitest";
import { dayLabel, startsDay } from "./day-label.ts";

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = "America/New_York";
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test("starts a day at the reader's midnight, not at UTC's", () => {
  const lateEvening = Date.parse("2026-11-23T04:59:00Z");
  const afterMidnight = Date.parse("2026-11-23T05:01:00Z");
  expect(startsDay(lateEvening, null)).toBe(true);
  expect(startsDay(afterMidnight, lateEvening)).toBe(true);
  expect(startsDay(lateEvening, Date.parse("2026-11-22T23:00:00Z"))).toBe(false);
});

test("names today, yesterday, and other days by their date, across a change of the clocks", () => {
  const now = Date.parse("2026-11-02T05:30:00Z");
  const cases = [
    ["2026-11-02T05:00:00Z", "Today"],
    ["2026-11-02T04:59:00Z", "Yesterday"],
    ["2026-11-01T04:00:00Z", "Yesterday"],
    ["2026-11-01T03:59:00Z", "Saturday, October 31"],
    ["2025-12-31T12:00:00Z", "Wednesday, December 31, 2025"],
  ] as const;
  for (const [at, label] of cases) expect([at, dayLabel(Date.parse(at), now, "en-US")]).toEqual([at, label]);
});
