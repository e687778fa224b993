import { expect, test } from "vitest";
import { reactionOf } from "./email-reaction.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("reads the emoji of a reaction, and nothing else", () => {
  for (const emoji of ["👍", "❤️", "👩🏽‍🚒", "🇩🇪", "🎉"]) {
    expect(reactionOf(bytes(JSON.stringify({ version: 1, emoji })))).toBe(emoji);
  }
  for (const other of [
    "{}",
    "[]",
    "👍",
    '{"emoji":"yes"}',
    '{"emoji":"42"}',
    '{"emoji":1}',
    `{"emoji":"${"👍".repeat(99)}"}`,
  ]) {
    expect(reactionOf(bytes(other))).toBeNull();
  }
});
