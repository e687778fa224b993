import { expect, test } from "vitest";
import { freshBucket, take } from "./room-rate-limit.ts";

test("accepts a burst, refuses a flood and then closes, and accepts again after a pause", () => {
  const bucket = freshBucket(0);
  const verdicts = Array.from({ length: 160 }, () => take(bucket, 0));
  expect(verdicts.indexOf("refuse")).toBe(60);
  expect(verdicts.indexOf("close")).toBe(159);
  expect(take(bucket, 1000)).toBe("ok");
});
