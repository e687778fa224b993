import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseEmojiList, searchEmoji } from "./emoji-search.ts";

const groups = parseEmojiList(readFileSync(join(import.meta.dirname, "emoji-list.txt"), "utf8"));

test("finds emoji by the start of each word of their name and other words", () => {
  expect(found("thumbs up")).toEqual(["👍️"]);
  expect(found("THUM do")).toEqual(["👎️"]);
  expect(found("party")).toContain("🎉");
  expect(found("humbs")).toEqual([]);
  expect(found(" ")).toHaveLength(groups.flatMap(({ emoji }) => emoji).length);
});

test("has over 1,700 emoji in nine groups, each with a name and none twice", () => {
  const all = groups.flatMap(({ emoji }) => emoji);
  expect(groups).toHaveLength(9);
  expect(all.length).toBeGreaterThan(1700);
  expect(new Set(all.map(({ emoji }) => emoji)).size).toBe(all.length);
  expect(all.filter(({ name }) => name === "")).toEqual([]);
});

function found(query: string): string[] {
  return searchEmoji(groups, query).flatMap(({ emoji }) => emoji.map((one) => one.emoji));
}
