import { expect, test } from "vitest";
import { hasUnseen, seenBefore, trimLink, trimUnseen, unseenLinkText } from "./link-text.ts";

test("leaves out spaces and what nobody sees at both ends alone", () => {
  expect(trimUnseen("\u200b\u00a0 \u2068nora\u2069\u00ad\n")).toBe("nora");
  expect(trimUnseen("\u2800\u3164")).toBe("");
  expect(trimUnseen("a\u200bb")).toBe("a\u200bb");
  // The look of an emoji is seen.
  expect(trimUnseen("❤\ufe0f")).toBe("❤\ufe0f");
});

test("reads what an address writes of them at a link's end, and leaves the rest of it", () => {
  for (const end of ["%E2%80%8B", "%e2%81%a0", "%C2%AD%20", "%EF%BB%BF\u200b", "%20%20"]) {
    expect(trimLink(`https://x.com/nora${end}`), end).toBe("https://x.com/nora");
  }
  for (const link of [
    "https://example.com/?q=50%25",
    "https://example.com/%E2%80%8Ba",
    "https://example.com/%E2%98%83",
  ]) {
    expect(trimLink(link)).toBe(link);
  }
});

test("finds what nobody sees inside, and not what draws Persian words, emoji and flags", () => {
  for (const unseen of [
    "\u00ad",
    "\u061c",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u2060",
    "\ufeff",
    "\ufe0f",
    "\u3164",
  ]) {
    expect(hasUnseen(`https://x.com/no${unseen}ra`), JSON.stringify(unseen)).toBe(true);
    expect(hasUnseen(`https://example.com/ка${unseen}фе\u200b/`), JSON.stringify(unseen)).toBe(true);
  }
  for (const seen of [
    "می\u200cخواهم",
    "❤\ufe0f\u200d🔥",
    "👩🏽\u200d🚀",
    "1\ufe0f\u20e3",
    "🏴\u{e0067}\u{e0062}\u{e007f}",
    "кафе",
    "東京",
  ]) {
    expect(hasUnseen(`https://example.com/${seen}/`), seen).toBe(false);
  }
});

// A loop that starts over at each character would outlast the test.
test("trims a text of a million characters in linear time", () => {
  for (const filling of ["\u200b", "%20", "a\u200b", "%E2%80%8Ba"]) {
    const text = filling.repeat(1_000_000 / filling.length);
    expect(trimLink(text).length).toBeLessThanOrEqual(text.length);
    hasUnseen(text);
  }
});

test("says where a link's first invisible character is, also behind an emoji and at the start", () => {
  const say = (link: string) => unseenLinkText(seenBefore(link) ?? "none");
  expect(say("x.com/a\u200bb\u200bc")).toBe(
    "This link contains an invisible character after “x.com/a”. Delete it, or type the link again",
  );
  expect(say(`https://example.com/${"a".repeat(30)}👩\u200d🚀\u2060b`)).toContain(
    `after “…${"a".repeat(21)}👩\u200d🚀”.`,
  );
  expect(say("\ufe0fx.com/a")).toContain("an invisible character at its start.");
  expect(seenBefore("https://example.com/👩\u200d🚀")).toBeNull();
});
