import { expect, test } from "vitest";
import { messageParts } from "./message-parts.ts";

test("splits a text at lines and spaces, keeps all of its words and cuts no character", () => {
  const words = Array.from({ length: 6000 }, (_, at) => `w${at}${at % 9 === 8 ? "\n" : " "}`)
    .join("")
    .trim();
  const parts = messageParts(words, 4000);
  expect(parts.every((part) => part.length <= 4000)).toBe(true);
  expect(parts.join(" ").split(/\s+/)).toEqual(words.split(/\s+/));
  expect(messageParts("👍".repeat(5), 3)).toEqual(["👍", "👍", "👍", "👍", "👍"]);
  expect(messageParts("short", 4000)).toEqual(["short"]);
  expect(messageParts("a".repeat(9), 4)).toEqual(["aaaa", "aaaa", "a"]);
});
