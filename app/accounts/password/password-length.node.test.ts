import { expect, test } from "vitest";
import { lengthHint, STEPS_TO_FILL } from "./password-length.ts";

test("asks for eight characters, and calls anything shorter too short", () => {
  expect(lengthHint(0).text).toContain("8 characters or more");
  expect(lengthHint(7)).toMatchObject({ filled: 0, text: expect.stringContaining("Too short") });
  expect(lengthHint(8).filled).toBe(1);
  expect(lengthHint(128).filled).toBe(STEPS_TO_FILL);
});

test.for([
  [0, 0, "8 characters or more. Longer is stronger."],
  [1, 0, "Too short: use 8 characters or more."],
  [7, 0, "Too short: use 8 characters or more."],
  [8, 1, "Long enough. A few more words would make it harder to guess."],
  [11, 1, "Long enough. A few more words would make it harder to guess."],
  [12, 2, "Good length."],
  [15, 2, "Good length."],
  [16, 3, "Very good length."],
  [17, 3, "Very good length."],
] as const)("fills the bars for %i characters: %i", ([length, filled, text]) => {
  expect(lengthHint(length)).toEqual({ filled, text });
});
