import { expect, test } from "vitest";
import type { OrderFields } from "./order-input.ts";
import { parseOrder } from "./parse-order.server.ts";

const COMMENTS = { type: "Custom Comments", min: 1, max: 100, dripfeed: false } as const;
const LINK = "https://instagram.com/p/1";

const UNSEEN = ["\u00ad", "\u061c", "\u200b", "\u200d", "\u200e", "\u200f", "\u202e", "\u2060", "\u2066", "\ufeff"];

test("refuses a link with invisible or text-reversing characters, and says so of those that nobody sees", () => {
  for (const bad of UNSEEN) {
    const parsed = parseOrder(defaults(), { link: `https://x.com/a${bad}b`, quantity: "10" });
    expect(parsed, JSON.stringify(bad)).toEqual({
      ok: false,
      fault: { reason: "bad_link", seenBefore: "https://x.com/a" },
    });
  }
  for (const bad of ["\u0000", "\u0007", "\u001b[2J", "\u007f", "\ud800", "\u00a0"]) {
    expect(parseOrder(defaults(), { link: `https://x.com/a${bad}b`, quantity: "10" }), JSON.stringify(bad)).toEqual({
      ok: false,
      fault: { reason: "bad_link" },
    });
  }
  // Joiners are part of Persian words and of emoji.
  const joined = `${LINK}/می\u200cخواهم/👩\u200d🚀`;
  expect(parseOrder(defaults(), { link: joined, quantity: "10" })).toMatchObject({ ok: true, order: { link: joined } });
});

test("leaves out what apps add at a link's ends, unseen or as the address writes it", () => {
  for (const end of [
    ...UNSEEN,
    "\u00a0",
    "\u3000",
    "\u200b \ufeff\u200e",
    "%E2%80%8B",
    "%20",
    "%c2%a0\u200b",
    "%EF%BB%BF%20",
  ]) {
    const given = `\u2068${end.replaceAll(/%../g, "")}x.com/a${end}\u2069`;
    const parsed = parseOrder(defaults(), { link: given, quantity: "10" });
    expect(parsed, JSON.stringify(given)).toMatchObject({ ok: true, order: { link: "https://x.com/a" } });
  }
  const shop = "https://shop.example/%E2%80%8Ba?q=50%25";
  expect(parseOrder(defaults(), { link: shop, quantity: "10" })).toMatchObject({ order: { link: shop } });
});

test("takes the names of a subscription and of lists without what nobody sees, and refuses it inside", () => {
  const subscription = { type: "Subscriptions", min: 10, max: 1000, dripfeed: false } as const;
  const fields = { min: "10\u200b", max: "20", delay: "0" };
  const mentions = { type: "Mentions Custom List", min: 1, max: 100, dripfeed: false } as const;
  for (const bad of UNSEEN) {
    const named = (username: string) => parseOrder(subscription, { ...fields, username });
    expect(named(`${bad}nora${bad}`), JSON.stringify(bad)).toMatchObject({
      order: { quantity: 20, providerFields: { username: "nora", min: 10 } },
    });
    expect(named(`no${bad}ra`), JSON.stringify(bad)).toEqual({
      ok: false,
      fault: { reason: "invalid_field", field: "username", text: "Enter username without invisible characters" },
    });
    const listed = (usernames: string) => parseOrder(mentions, { link: LINK, usernames });
    expect(listed(`nora${bad}\r\n${bad}\n${bad}theo\n`)).toMatchObject({
      order: { quantity: 2, providerFields: { usernames: "nora\ntheo" } },
    });
    expect(listed(`nora\nth${bad}eo`)).toMatchObject({
      fault: { field: "usernames", text: "Enter usernames, one per line, without invisible characters" },
    });
    // A comment is its author's: a mark may turn the direction of its line.
    expect(parse({ comments: `${bad}nice${bad}` })).toMatchObject({ ok: true });
  }
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

test("refuses a comma in comments and usernames where the provider splits lists there, and quotes where it is", () => {
  const refusal = (terms: Parameters<typeof parseOrder>[0], fields: OrderFields) => {
    const parsed = parseOrder({ ...terms, splitsComments: true }, { link: LINK, ...fields });
    return !parsed.ok && parsed.fault.reason === "invalid_field" ? [parsed.fault.field, parsed.fault.text] : parsed;
  };
  const start = "Comments for this service can't contain commas.";
  for (const [comments, rest] of [
    ["Nice\nGreat, thanks", "Remove the comma from “Great, thanks”."],
    ["One, two, three", "Remove the commas from “One, two, three”."],
    ["Great, thanks\nNice\r\nSo, so\rOh, my", "Remove the commas from “Great, thanks” and 2 more."],
    [`${"🚀".repeat(60)}, wow`, `Remove the comma from “${"🚀".repeat(60)}…”.`],
  ] as const) {
    expect(refusal(COMMENTS, { comments })).toEqual(["comments", `${start} ${rest}`]);
    expect(parse({ comments }), "a provider that doesn't split").toMatchObject({ ok: true });
  }
  const replies = { type: "Comment Replies", min: 1, max: 100, dripfeed: false } as const;
  expect(refusal(replies, { username: "nora", comments: "a, b" })).toMatchObject(["comments", expect.any(String)]);
  const pack = { type: "Custom Comments Package", min: 1, max: 1, dripfeed: false } as const;
  expect(refusal(pack, { comments: "a, b" })).toMatchObject(["comments", expect.any(String)]);
  for (const type of ["Mentions Custom List", "Mentions", "Mentions with Hashtags"] as const) {
    const mentions = { type, min: 1, max: 100, dripfeed: false };
    const fields = { usernames: "nora,theo\nmara", hashtags: "#a", quantity: "5" };
    const text = "Usernames for this service can't contain commas. Remove the comma from “nora,theo”.";
    expect(refusal(mentions, fields), type).toEqual(["usernames", text]);
  }
  // Commas of other languages, which no panel splits at, and fields that aren't split.
  expect(refusal(COMMENTS, { comments: "Nice\n很好，谢谢\nشكرا، جميل" })).toMatchObject({ order: { quantity: 3 } });
  const search = { type: "SEO", min: 1, max: 100, dripfeed: false } as const;
  expect(refusal(search, { keywords: "red, blue", quantity: "5", link: `${LINK}?a=1,2` })).toMatchObject({ ok: true });
});

function defaults() {
  return { type: "Default", min: 10, max: 100, dripfeed: false } as const;
}

function parse(fields: OrderFields) {
  return parseOrder(COMMENTS, { link: LINK, ...fields });
}
