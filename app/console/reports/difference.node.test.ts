import { expect, test } from "vitest";
import { differenceOf, marginDifferenceOf, percentOf } from "./difference.ts";

test("says how much more or less an amount is than before", () => {
  expect(differenceOf(112, 100)).toBe("12% more");
  expect(differenceOf(102.5, 100)).toBe("2.5% more");
  expect(differenceOf(60, 100)).toBe("40% less");
  expect(differenceOf(0, 100)).toBe("100% less");
  expect(differenceOf(-20, 100)).toBe("120% less");
  expect(differenceOf(100, 100)).toBe("the same");
  expect(differenceOf(1000, 100)).toBe("10 times as much");
  expect(differenceOf(5, 0)).toBeNull();
  expect(differenceOf(5, -1)).toBeNull();
});

test("compares margins in points, and names parts in percent", () => {
  expect(marginDifferenceOf(3510, 3300)).toBe("2.1 points higher");
  expect(marginDifferenceOf(3000, 3300)).toBe("3.0 points lower");
  expect(marginDifferenceOf(3300, 3302)).toBe("the same");
  expect(marginDifferenceOf(null, 3300)).toBeNull();
  expect(percentOf(3, 120)).toBe("2.5%");
  expect(percentOf(0, 120)).toBe("0.0%");
});
