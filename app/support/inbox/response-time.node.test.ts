import { expect, test } from "vitest";
import { durationText, durationTicks } from "./response-time.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("a time is written as people write it, with two units at most", () => {
  const written = [
    0,
    400,
    59_400,
    59_600,
    90_000,
    59.6 * MINUTE,
    90 * MINUTE,
    3 * HOUR,
    23.999 * HOUR,
    24 * HOUR,
    52 * HOUR,
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

test("an axis of times has round steps, from nothing to what is longest", () => {
  const written = (most: number) => durationTicks(most).map(durationText);
  expect(written(0)).toEqual(["0 s", "1 s"]);
  expect(written(7 * MINUTE)).toEqual(["0 s", "2 min", "4 min", "6 min", "8 min"]);
  expect(written(100 * MINUTE)).toEqual(["0 s", "30 min", "1 h", "1 h 30 min", "2 h"]);
  expect(written(30 * HOUR)).toEqual(["0 s", "12 h", "1 d", "1 d 12 h"]);
  for (const most of [1, 61_000, HOUR + 1, 1000 * 24 * HOUR]) {
    const ticks = durationTicks(most);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    expect(ticks.length).toBeLessThanOrEqual(5);
  }
});
