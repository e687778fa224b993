import { expect, test } from "vitest";
import { presenceOf } from "./presence.ts";

test("ignores a socket that stopped pinging, and counts an agent with two tabs once", () => {
  const now = 1_000_000;
  const sockets = [
    { side: "user" as const, author: "a", name: "A", seenAt: now - 61_000 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now - 30_000 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now },
  ];
  expect(presenceOf(sockets, now)).toEqual({ user: false, agents: 1 });
});
