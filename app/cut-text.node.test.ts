import { expect, test } from "vitest";
import { cutText, cutTextStart, textParts } from "./cut-text.ts";

const FAMILY = "👨‍👩‍👧‍👦";
const FLAG = "🇺🇦";

test.for([
  { what: "an emoji", text: "ab😀", max: 3, start: "ab", end: "b😀" },
  { what: "a letter and its accent", text: "abe\u0301", max: 3, start: "ab", end: "be\u0301" },
  { what: "a family of four", text: `ab${FAMILY}`, max: 7, start: "ab", end: "" },
  { what: "a family of four that just fits", text: `ab${FAMILY}c`, max: 13, start: `ab${FAMILY}`, end: `b${FAMILY}c` },
  { what: "a flag", text: `ab${FLAG}cd`, max: 4, start: "ab", end: "cd" },
  { what: "a Hindi syllable", text: "कि", max: 1, start: "क", end: "\u093f" },
  { what: "Korean in its parts", text: "a\u1112\u1161\u11ab", max: 2, start: "a", end: "" },
  { what: "a line break of two", text: "a\r\nb", max: 2, start: "a", end: "b" },
  { what: "ASCII", text: "abcdef", max: 3, start: "abc", end: "def" },
  { what: "a text that fits", text: "ab😀", max: 4, start: "ab😀", end: "ab😀" },
  { what: "everything", text: "ab", max: 0, start: "", end: "" },
])("cuts $what between characters", ({ text, max, start, end }) => {
  expect(cutText(text, max)).toBe(start);
  if (end !== "") expect(cutTextStart(text, max)).toBe(end);
});

test.for([
  { what: "emoji", text: "😀".repeat(200) },
  { what: "a letter with more accents than anyone writes", text: `e${"\u0301".repeat(300)}` },
  { what: "families", text: FAMILY.repeat(40) },
  { what: "flags", text: FLAG.repeat(80) },
  { what: "all mixed", text: `x${FAMILY}é${"e\u0302\u0301"}😀 `.repeat(30) },
])("keeps within the length, and halves no surrogate pair of $what", ({ text }) => {
  for (let max = 0; max <= text.length; max++) {
    for (const cut of [cutText(text, max), cutTextStart(text, max)]) {
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeGreaterThan(max - 80);
    }
    expect(text.startsWith(cutText(text, max))).toBe(true);
    expect(text.endsWith(cutTextStart(text, max))).toBe(true);
  }
  for (const max of [2, 7, 100]) {
    const parts = textParts(text, max);
    expect(parts.join("")).toBe(text);
    expect(parts.every((part) => part.length <= max && part.length > 0 && part.isWellFormed())).toBe(true);
  }
});
