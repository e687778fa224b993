import { expect, test } from "vitest";
import { NIGHTLY } from "./profiles.ts";
import { countDrawn, writeScript } from "./write-script.ts";

const PROGRAMS_AND_PRICES = [
  ...["lookup", "lookup and repeat"].map((by) => `lose_response by ${by}`),
  ...["everything", "status", "reference"].map((by) => `list_orders by ${by}`),
  ...["list", "panel"].map((by) => `follow_catalog by ${by}`),
  ...["v1", "v2_with_id", "rest", "form", "mass"].map((surface) => `shop by ${surface} with the price before`),
  ...["v1", "v2_with_id", "v2", "rest"].flatMap((surface) => [
    `own reference by ${surface}`,
    `shared reference by ${surface}`,
  ]),
  "metadata",
];

test("draws each behavior often enough in a nightly run", () => {
  const drawn = new Map<string, number>();
  for (let seed = 1; seed <= NIGHTLY.seeds; seed++) {
    for (const [behavior, count] of countDrawn(writeScript(seed, NIGHTLY.profile))) {
      drawn.set(behavior, (drawn.get(behavior) ?? 0) + count);
    }
  }
  expect(drawn.size).toBeGreaterThan(100);
  expect([...drawn.keys()]).toEqual(expect.arrayContaining(PROGRAMS_AND_PRICES));
  expect([...drawn].filter(([, count]) => count < NIGHTLY.drawnAtLeast)).toEqual([]);
});

test("draws the same script from the same seed", () => {
  expect(writeScript(7, "short")).toEqual(writeScript(7, "short"));
  expect(writeScript(8, "short")).not.toEqual(writeScript(7, "short"));
});
