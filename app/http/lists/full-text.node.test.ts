import { expect, test } from "vitest";
import { ftsPhrase } from "./full-text.ts";

test("makes one phrase of any text, without what would end the query", () => {
  expect(ftsPhrase('a "b" OR c*')).toBe('"a ""b"" OR c*"');
  expect(ftsPhrase("\0a\u0007b\n\ud800")).toBe('"ab\ufffd"');
});
