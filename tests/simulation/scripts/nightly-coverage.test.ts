import { expect, test } from "vitest";
import { NIGHTLY } from "./profiles.ts";
import { countDrawn, writeScript } from "./write-script.ts";

test("draws each behavior often enough in a nightly run", () => {
  const drawn = new Map<string, number>();
  for (let seed = 1; seed <= NIGHTLY.seeds; seed++) {
    for (const [behavior, count] of countDrawn(writeScript(seed, NIGHTLY.profile))) {
      drawn.set(behavior, (drawn.get(behavior) ?? 0) + count);
    }
  }
  expect(drawn.size).toBeGreaterThan(100);
  expect([...drawn].filter(([, count]) => count < NIGHTLY.drawnAtLeast)).toEqual([]);
});

test("draws the same script from the same seed", () => {
  expect(writeScript(7, "short")).toEqual(writeScript(7, "short"));
  expect(writeScript(8, "short")).not.toEqual(writeScript(7, "short"));
});
