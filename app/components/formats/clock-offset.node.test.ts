import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { offsetAt } from "./clock-offset.ts";

const NOW = Date.UTC(2026, 10, 23, 5);
const ARRIVED = 300;

/** Returns the correction of a clock that is `off` ms ahead. */
function offsetOf(off: number, server = NOW, arrived: number | null = ARRIVED) {
  return offsetAt({ server, browser: NOW - ARRIVED + off }, arrived);
}

test("ignores a clock that is less than a minute off", () => {
  for (const off of [0, 59_999, -59_999]) expect(offsetOf(off)).toBe(0);
});

test("corrects a clock that is a minute or more off, in whole minutes", () => {
  expect(offsetOf(-60_000)).toBe(60_000);
  expect(offsetOf(DAY_MS + 1500)).toBe(-DAY_MS);
  expect(offsetOf(1500 - DAY_MS)).toBe(DAY_MS);
});

test("corrects nothing by a page from the browser's cache or of an unknown time", () => {
  expect(offsetOf(DAY_MS, NOW, null)).toBe(0);
  expect(offsetAt({ server: undefined, browser: NOW }, ARRIVED)).toBe(0);
});
