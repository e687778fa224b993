import { expect, test, vi } from "vitest";
import { agentsOf, nextPresenceCheck, presenceOf } from "./presence.ts";
import { FILE_COST, freshBucket, RateLimits, take } from "./room-rate-limit.ts";

test("ignores a socket that stopped pinging, and counts an agent with two tabs once", () => {
  const now = 1_000_000;
  const sockets = [
    { side: "user" as const, author: "a", name: "A", seenAt: now - 35_000 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now - 34_999 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now },
  ];
  expect(presenceOf(sockets, now)).toEqual({ user: false, agents: 1 });
});

test("looks again when the first connection would have gone quiet, while there is somebody to be told", () => {
  const seen = (author: string, seenAt: number) => ({ side: "user" as const, author, name: "N", seenAt });
  expect(nextPresenceCheck([], 0)).toBeNull();
  expect(nextPresenceCheck([seen("ada", 0), seen("ada", 5)], 10)).toBeNull();
  expect(nextPresenceCheck([seen("ada", 7000), seen("bo", 5000)], 10_000)).toBe(40_000);
  // One that is quiet already may come back.
  expect(nextPresenceCheck([seen("ada", 9000), seen("bo", 5000)], 41_000)).toBe(44_000);
  expect(nextPresenceCheck([seen("ada", 0), seen("bo", 0)], 50_000)).toBe(85_000);
});

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

test("counts a socket as gone 35 s after its last ping", () => {
  const seen = (side: "user" | "admin", seenAt: number) => ({ side, author: side, name: "N", seenAt });
  for (const [age, isHere] of [
    [34_999, true],
    [35_000, false],
  ] as const) {
    expect(presenceOf([seen("user", 0), seen("admin", 0)], age)).toEqual({ user: isHere, agents: Number(isHere) });
    expect(agentsOf([seen("user", age), seen("admin", 0)], age)).toEqual(isHere ? [{ id: "admin", name: "N" }] : []);
  }
  expect(presenceOf([seen("admin", 0)], 0)).toEqual({ user: false, agents: 1 });
});

test.for([
  [99, "refuse", 3],
  [100, "ok", 2],
  [999, "ok", 2],
  [1000, "ok", 0],
] as const)("takes a frame %i ms after a flood", ([now, verdict, refused]) => {
  const bucket = freshBucket(0);
  for (let n = 0; n < 62; n++) take(bucket, 0);
  expect([take(bucket, now), bucket.refused]).toEqual([verdict, refused]);
});

test("takes twelve files at once, and then one every half second", () => {
  const limits = new RateLimits();
  const start = Date.now();
  const now = vi.spyOn(Date, "now").mockReturnValue(start);
  const send = () => limits.take("ada", FILE_COST);
  expect(Array.from({ length: 13 }, send)).toEqual([...Array(12).fill("ok"), "refuse"]);
  now.mockReturnValue(start + 499);
  expect(send()).toBe("refuse");
  now.mockReturnValue(start + 500);
  expect([send(), send()]).toEqual(["ok", "refuse"]);
  vi.restoreAllMocks();
});

test("keeps a bucket for each author, and forgets the one that was quiet longest among ten thousand", () => {
  // A bucket fills again by the clock.
  vi.spyOn(Date, "now").mockReturnValue(1_000_000);
  const limits = new RateLimits();
  for (const author of ["ada", "bo"]) {
    const verdicts = Array.from({ length: 80 }, () => limits.take(author));
    expect([verdicts[0], verdicts.at(-1)]).toEqual(["ok", "refuse"]);
  }
  expect(limits.take("ada")).toBe("refuse");
  for (let n = 0; n < 9999; n++) limits.take(`stranger-${n}`);
  expect([limits.take("ada"), limits.take("bo")]).toEqual(["refuse", "ok"]);
});
