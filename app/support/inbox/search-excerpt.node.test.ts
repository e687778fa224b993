import { expect, test } from "vitest";
import { splitExcerpt } from "./search-excerpt.ts";

test("splits an excerpt into matches and the rest", () => {
  expect(splitExcerpt("my \u0001order\u0002 is \u0001here\u0002")).toEqual([
    { text: "my ", isHit: false },
    { text: "order", isHit: true },
    { text: " is ", isHit: false },
    { text: "here", isHit: true },
  ]);
});
