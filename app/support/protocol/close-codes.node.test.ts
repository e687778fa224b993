import { expect, test } from "vitest";
import { CLOSE, replyCloseCode } from "./close-codes.ts";

test("replies to a reserved close code with a normal closure, and to any other with the same code", () => {
  expect([1005, 1006, 1015].map(replyCloseCode)).toEqual([1000, 1000, 1000]);
  expect([1000, 1001, CLOSE.moved].map(replyCloseCode)).toEqual([1000, 1001, CLOSE.moved]);
});
