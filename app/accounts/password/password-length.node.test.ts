import { expect, test } from "vitest";
import { lengthHint, STEPS_TO_FILL } from "./password-length.ts";

test("asks for eight characters, and calls anything shorter too short", () => {
  expect(lengthHint(0).text).toContain("8 characters or more");
  expect(lengthHint(7)).toMatchObject({ filled: 0, text: expect.stringContaining("Too short") });
  expect(lengthHint(8).filled).toBe(1);
  expect(lengthHint(128).filled).toBe(STEPS_TO_FILL);
});
