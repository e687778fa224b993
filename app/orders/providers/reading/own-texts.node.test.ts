import { expect, test } from "vitest";
import { withoutQuotes } from "./own-texts.ts";

const quoted = (text: string, ...inputs: string[]) => withoutQuotes(text.toLowerCase(), inputs, "#");

test("leaves out the names and ids at the end of links, which panels quote alone", () => {
  expect(quoted("Moon of Anna.Lee sets", "https://www.instagram.com/anna.lee/")).toBe("moon of # sets");
  expect(quoted("Moon of anna sets", "https://t.me/@anna")).toBe("moon of # sets");
  expect(quoted("Moon of anna sets", "@anna")).toBe("moon of # sets");
  expect(quoted("Moon of dQw4w sets", "https://youtube.com/watch?v=dQw4w&t=1")).toBe("moon of # sets");
  // Not a word of which a name is a part.
  expect(quoted("Moon of joannas sets", "https://t.me/anna")).toBe("moon of joannas sets");
});

test("leaves out texts whose signs a panel has escaped", () => {
  expect(quoted("No moon: Tom &amp; Jerry&#039;s &lt;3", "Tom & Jerry's <3")).toBe("no moon: #");
  expect(quoted("No moon: x.example/?a=1&amp;b=2", "https://x.example/?a=1&b=2")).toBe("no moon: #");
});

test("reads texts and inputs of any length", () => {
  for (const piece of ["a/", "&", "?=", "@", "https://a.b/"]) {
    expect(() => quoted(piece.repeat(100_000), piece.repeat(2000), ...piece.repeat(500))).not.toThrow();
  }
});
