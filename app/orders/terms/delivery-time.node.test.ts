import { expect, test } from "vitest";
import { durationText } from "./delivery-time.ts";

test("formats a duration in one or two units", () => {
  expect(durationText(400)).toBe("under a second");
  expect(durationText(1000)).toBe("1 second");
  expect(durationText(61_000)).toBe("1 minute 1 second");
  expect(durationText(5 * 60_000 + 59_000)).toBe("5 minutes");
  expect(durationText(3 * 3_600_000 + 20 * 60_000)).toBe("3 hours 20 minutes");
  expect(durationText(26 * 3_600_000)).toBe("1 day 2 hours");
});
