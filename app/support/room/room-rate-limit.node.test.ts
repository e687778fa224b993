import { expect, test } from "vitest";
import { freshBucket, take } from "./room-rate-limit.ts";

test("accepts a burst, refuses a flood and then closes, and accepts again after a pause", () => {
  const bucket = freshBucket(0);
  const verdicts = Array.from({ length: 160 }, () => take(bucket, 0));
  expect(verdicts.indexOf("refuse")).toBe(60);
  expect(verdicts.indexOf("close")).toBe(159);
  expect(take(bucket, 1000)).toBe("ok");
});

test("closes a flood also where the server takes 20 ms for a frame, so that some pass in between", () => {
  const bucket = freshBucket(0);
  const verdicts = Array.from({ length: 1000 }, (_, at) => take(bucket, at * 20));
  expect(verdicts.slice(60, 250)).toContain("ok");
  expect(verdicts.slice(0, 250)).toContain("close");
});
