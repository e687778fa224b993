import { expect, test } from "vitest";
import type { OrderFields } from "./order-input.ts";
import { parseOrder } from "./parse-order.server.ts";

const COMMENTS = { type: "Custom Comments", min: 1, max: 100, dripfeed: false } as const;
const LINK = "https://instagram.com/p/1";

test("refuses a link with invisible or text-reversing characters", () => {
  for (const bad of ["\u0000", "\u0007", "\u001b[2J", "\u007f", "\u202e", "\u2066", "\u200f", "\ud800"]) {
    expect(parseOrder(defaults(), { link: `https://x.com/a${bad}b`, quantity: "10" }), JSON.stringify(bad)).toEqual({
      ok: false,
      fault: { reason: "bad_link" },
    });
  }
  // Joiners are part of Persian words and of emoji.
  const joined = `${LINK}/می\u200cخواهم/👩\u200d🚀`;
  expect(parseOrder(defaults(), { link: joined, quantity: "10" })).toMatchObject({ ok: true, order: { link: joined } });
});

test("reads a scheme-relative link as https", () => {
  const parsed = parseOrder(defaults(), { link: "//x.com/a", quantity: "10" });
  expect(parsed).toMatchObject({ ok: true, order: { link: "https://x.com/a" } });
});

test("bounds a subscription that names no posts, and keeps one that does", () => {
  const terms = { type: "Subscriptions", min: 10, max: 1000, dripfeed: false } as const;
  const fields = { username: "growline", min: "10", max: "20", delay: "0" };
  for (const open of [{}, { posts: "0" }, { posts: "0", old_posts: "0" }, { posts: "", expiry: "01/02/2030" }]) {
    expect(parseOrder(terms, { ...fields, ...open }), JSON.stringify(open)).toMatchObject({
      ok: true,
      order: { quantity: 20, runs: 30, providerFields: { posts: 30 } },
    });
  }
  expect(parseOrder(terms, { ...fields, posts: "3" })).toMatchObject({ order: { runs: 3 } });
  expect(parseOrder(terms, { ...fields, old_posts: "5" })).toMatchObject({ order: { runs: 5 } });
  expect(parseOrder(terms, { ...fields, posts: "1001" })).toMatchObject({ ok: false, fault: { field: "posts" } });
});

test("counts a comment per line for every kind of line break", () => {
  for (const comments of ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc", "a\r\r\nb\n\rc\r"]) {
    expect(parse({ comments }), JSON.stringify(comments)).toMatchObject({
      ok: true,
      order: { quantity: 3, providerFields: { comments: "a\nb\nc" } },
    });
  }
});

test("refuses control characters in comments and names, and names the field", () => {
  for (const bad of ["\u0000", "\u000b", "\u000c", "\u001b", "\u0085", "\u2028", "\u2029", "\ud800"]) {
    expect(parse({ comments: `a${bad}b\nc` }), JSON.stringify(bad)).toMatchObject({
      ok: false,
      fault: { reason: "invalid_field", field: "comments" },
    });
    const likes = { type: "Comment Likes", min: 1, max: 100, dripfeed: false } as const;
    expect(parseOrder(likes, { link: LINK, quantity: "10", username: `a${bad}b` })).toMatchObject({
      ok: false,
      fault: { reason: "invalid_field", field: "username" },
    });
  }
  expect(parse({ comments: "a\tb\n👩\u200d🚀 می\u200cخواهم" })).toMatchObject({ ok: true, order: { quantity: 2 } });
});

function defaults() {
  return { type: "Default", min: 10, max: 100, dripfeed: false } as const;
}

function parse(fields: OrderFields) {
  return parseOrder(COMMENTS, { link: LINK, ...fields });
}
