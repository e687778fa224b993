import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { reachOf, sizeOfDays } from "./size-growth.ts";

const NOW = Date.UTC(2027, 0, 31);
const TODAY = NOW / DAY_MS;
const GB = 1_000_000_000;
/** Sizes of the last days, growing by so much a day up to 4 GB today. */
const grown = (days: number, perDay: number) =>
  Array.from({ length: days }, (_, at) => ({ day: TODAY - days + at, bytes: 4 * GB - perDay * (days - at) }));

test("tells the day on which a database is 70 % full by its growth of the last 30 days", () => {
  const reach = reachOf(grown(30, GB / 10), 4 * GB, 7 * GB, NOW);
  expect(reach).toEqual({ kind: "at", at: expect.closeTo(Date.UTC(2027, 2, 2), -6) });
});

test("counts no growth from before those 30 days", () => {
  const before = { day: TODAY - 60, bytes: 0 };
  expect(reachOf([before, ...grown(30, GB / 10)], 4 * GB, 7 * GB, NOW)).toEqual({
    kind: "at",
    at: expect.closeTo(Date.UTC(2027, 2, 2), -6),
  });
});

test("tells no day of a database that doesn't grow, that takes years, or whose growth isn't known for a week", () => {
  expect(reachOf(grown(30, 0), 4 * GB, 7 * GB, NOW)).toEqual({ kind: "far" });
  expect(reachOf(grown(30, -1000), 4 * GB, 7 * GB, NOW)).toEqual({ kind: "far" });
  expect(reachOf(grown(30, 1000), 4 * GB, 7 * GB, NOW)).toEqual({ kind: "far" });
  expect(reachOf(grown(6, GB / 10), 4 * GB, 7 * GB, NOW)).toEqual({ kind: "unknown" });
  expect(reachOf([], 4 * GB, 7 * GB, NOW)).toEqual({ kind: "unknown" });
  expect(reachOf([], 7 * GB, 7 * GB, NOW)).toEqual({ kind: "reached" });
});

test("draws each of the last 30 days in MB, with the size of this moment as today's and a gap where none was stored", () => {
  const stored = [
    { day: TODAY - 29, bytes: 1_230_000 },
    { day: TODAY - 2, bytes: 123_400_000 },
  ];
  const points = sizeOfDays(stored, 2_000_000, NOW);
  expect(points).toHaveLength(30);
  expect(points.filter(({ value }) => value !== null)).toEqual([
    { day: "2027-01-02", value: 1.2 },
    { day: "2027-01-29", value: 123 },
    { day: "2027-01-31", value: 2 },
  ]);
});
