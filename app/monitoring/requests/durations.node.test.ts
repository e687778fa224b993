import { expect, test } from "vitest";
import { BUCKETS, bucketOf, percentile } from "./durations.ts";

function counted(...ms: number[]): number[] {
  const durations = Array.from({ length: BUCKETS }, () => 0);
  for (const one of ms) durations[bucketOf(one)] = (durations[bucketOf(one)] ?? 0) + 1;
  return durations;
}

test("counts a duration in the bucket whose bound it does not exceed", () => {
  expect([0, 5, 6, 5000, 5001, 60_000].map(bucketOf)).toEqual([0, 0, 1, 9, 10, 10]);
});

test("finds the duration that a share of the requests did not exceed, within its bucket", () => {
  const durations = counted(...Array<number>(90).fill(20), ...Array<number>(10).fill(400));
  expect(percentile(durations, 0.5)).toBe(18);
  expect(percentile(durations, 0.95)).toBe(375);
  expect(percentile(durations, 0.9)).toBe(25);
});

test("knows no duration without requests, and none above the last bound", () => {
  expect(percentile(counted(), 0.95)).toBeNull();
  expect(percentile(counted(30_000), 0.5)).toBe(5000);
});
