import { expect, it } from "vitest";
import { marginOf, parsePercent, percentText, priceChangedBy, priceForMargin, roundedUpTo, WHOLE } from "./margin.ts";

it("takes the margin as a part of the price, and never shows more than there is", () => {
  expect(marginOf(2_000_000, 1_000_000)).toBe(5_000);
  expect(marginOf(3_000_000, 2_000_000)).toBe(3_333);
  expect(marginOf(3_000_000, 4_000_000)).toBe(-3_334);
  expect(marginOf(1_000_000, 2_000_000)).toBe(-10_000);
  expect(marginOf(0, 1)).toBeNull();
});

it("finds the lowest price that leaves a margin", () => {
  for (const cost of [0, 1, 7, 999_999, 1_000_000, 123_456_789_012]) {
    for (const margin of [-5_000, 0, 1, 3_500, 9_900, 9_999]) {
      const price = priceForMargin(cost, margin);
      if (price > 0) expect(marginOf(price, cost)).toBeGreaterThanOrEqual(margin);
      // One less would leave less than the margin.
      const [below, due] = [BigInt(price - 1 - cost) * BigInt(WHOLE), BigInt(price - 1) * BigInt(margin)];
      if (price > 0) expect(below < due).toBe(true);
    }
  }
});

it("changes a price by a part of it, and rounds up", () => {
  expect(priceChangedBy(1_000_000, 1_000)).toBe(1_100_000);
  expect(priceChangedBy(1_000_000, -2_500)).toBe(750_000);
  expect(priceChangedBy(3, 1_000)).toBe(4);
  expect(priceChangedBy(9_007_199_254_740_991, 0)).toBe(9_007_199_254_740_991);
});

it("rounds up to a step", () => {
  expect(roundedUpTo(1_234_567, 10_000)).toBe(1_240_000);
  expect(roundedUpTo(1_240_000, 10_000)).toBe(1_240_000);
  expect(roundedUpTo(0, 10_000)).toBe(0);
});

it("reads percentages exactly, and nothing else as one", () => {
  expect(["10", "+10", "-5", "−5", "12.5", " 35 % ", "0.29", "0"].map(parsePercent)).toEqual([
    1_000, 1_000, -500, -500, 1_250, 3_500, 29, 0,
  ]);
  expect(["", "%", "1e3", "12.345", "--5", "ten", "10000 0", "NaN", "١٠"].map(parsePercent)).toEqual(
    Array(9).fill(null),
  );
});

it("writes percentages with the digits they need", () => {
  expect([0, 1, 3_500, -50, -1_250, 3_333, 100_000].map(percentText)).toEqual([
    "0%",
    "0.01%",
    "35%",
    "-0.5%",
    "-12.5%",
    "33.33%",
    "1,000%",
  ]);
});
