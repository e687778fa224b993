import { expect, test } from "vitest";
import { badgeText } from "./badge-text.ts";

test("shows the exact count up to nine", () => {
  expect([1, 9, 10, 250].map(badgeText)).toEqual(["1", "9", "9+", "9+"]);
});
