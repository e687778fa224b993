import { expect, test } from "vitest";
import { keeping, readKept } from "./undo-kept.ts";

test("records a bounded part of what an undo leaves, with how many there are", () => {
  expect(keeping([])).toEqual({});
  expect(keeping(["rate"])).toEqual({ kept: { labels: ["rate"], count: 1 } });
  const { kept } = keeping(Array.from({ length: 10_000 }, () => "x".repeat(1000)));
  expect(kept?.count).toBe(10_000);
  expect(JSON.stringify(kept).length).toBeLessThan(2000);
});

test("reads what it records, and nothing else", () => {
  const { kept } = keeping(["rate", "name"]);
  expect(readKept(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  for (const other of [undefined, null, "rate", ["rate", "name"], { labels: "rate", count: 1 }]) {
    expect(readKept(other)).toBeNull();
  }
});
