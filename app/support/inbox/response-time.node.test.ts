import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { durationText, durationTicks } from "./response-time.ts";

test("writes a duration with at most two units", () => {
  const written = [
    0,
    400,
    59_400,
    59_600,
    90_000,
    59.6 * MINUTE_MS,
    90 * MINUTE_MS,
    3 * HOUR_MS,
    23.999 * HOUR_MS,
    24 * HOUR_MS,
    52 * HOUR_MS,
  ];
  expect(written.map(durationText)).toEqual([
    "0 s",
    "0 s",
    "59 s",
    "1 min",
    "2 min",
    "1 h",
    "1 h 30 min",
    "3 h",
    "1 d",
    "1 d",
    "2 d 4 h",
  ]);
});

test("gives an axis round steps from zero to at least the longest time", () => {
  const written = (longest: number) => durationTicks(longest).map(durationText);
  expect(written(0)).toEqual(["0 s", "1 s"]);
  expect(written(7 * MINUTE_MS)).toEqual(["0 s", "2 min", "4 min", "6 min", "8 min"]);
  expect(written(100 * MINUTE_MS)).toEqual(["0 s", "30 min", "1 h", "1 h 30 min", "2 h"]);
  expect(written(30 * HOUR_MS)).toEqual(["0 s", "12 h", "1 d", "1 d 12 h"]);
  for (const longest of [1, 61_000, HOUR_MS + 1, 1000 * 24 * HOUR_MS]) {
    const ticks = durationTicks(longest);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(longest);
    expect(ticks.length).toBeLessThanOrEqual(5);
  }
});
