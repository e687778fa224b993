import { expect, test } from "vitest";
import type { OrderType } from "#app/db/schema.server.ts";
import { chargeFor } from "./charge-and-refund.ts";
import {
  fieldsOfOrder,
  fieldsOfType,
  isPerOrder,
  type OrderFields,
  pickOrderFields,
  TYPE_RULES,
} from "./order-input.ts";
import { parseOrder } from "./parse-order.server.ts";

const LINK = "https://instagram.com/p/1";
const TERMS = { min: 10, max: 100, dripfeed: true };
/** Fields that each type needs beside a link and a quantity. */
const GIVEN: Record<OrderType, OrderFields> = {
  Default: { runs: "2", interval: "60" },
  Package: {},
  SEO: { keywords: "a\nb" },
  "Custom Comments": { comments: lines(12) },
  "Custom Comments Package": { comments: "a\nb" },
  Mentions: { usernames: "a\nb" },
  "Mentions with Hashtags": { usernames: "a", hashtags: "b" },
  "Mentions Custom List": { usernames: lines(11) },
  "Mentions Hashtag": { hashtag: "a" },
  "Mentions User Followers": { username: "a" },
  "Mentions Media Likers": { media: "https://instagram.com/p/2" },
  "Comment Likes": { username: "a" },
  "Comment Replies": { username: "a", comments: lines(10) },
  Poll: { answer_number: "2" },
  "Invites from Groups": { groups: "a" },
  Subscriptions: { username: "a", min: "10", max: "20", delay: "30", posts: "3", old_posts: "2", expiry: "29/02/2028" },
  "Web Traffic": { country: "DE", device: "1", type_of_traffic: "2", google_keyword: "a", referring_url: LINK },
};
const TYPES = Object.keys(TYPE_RULES) as OrderType[];

test("charges a package its whole rate, and every other type by the thousand", () => {
  expect(TYPES.filter(isPerOrder)).toEqual(["Package", "Custom Comments Package"]);
  expect(chargeFor({ rate: 24_000_000, quantity: 1, runs: 1, perOrder: isPerOrder("Package") })).toBe(24_000_000);
  expect(chargeFor({ rate: 24_000_000, quantity: 1, runs: 1, perOrder: isPerOrder("Default") })).toBe(24_000);
});

test("asks for a link, a quantity and a drip-feed only where the type has them", () => {
  const asked = (type: OrderType) => {
    const { link, quantity, runs, countedBy } = fieldsOfType(type);
    return { link, quantity, runs, countedBy };
  };
  expect(asked("Default")).toEqual({ link: true, quantity: true, runs: true, countedBy: null });
  expect(asked("Package")).toEqual({ link: true, quantity: false, runs: false, countedBy: null });
  expect(asked("Custom Comments")).toEqual({ link: true, quantity: false, runs: false, countedBy: "comments" });
  expect(asked("Mentions Custom List")).toMatchObject({ quantity: false, countedBy: "usernames" });
  expect(asked("Subscriptions")).toEqual({ link: false, quantity: false, runs: false, countedBy: null });
  expect(fieldsOfType("Web Traffic").needs).toEqual([
    { name: "country", optional: false },
    { name: "device", optional: false },
    { name: "type_of_traffic", optional: false },
    { name: "google_keyword", optional: true },
    { name: "referring_url", optional: true },
  ]);
});

for (const type of TYPES) {
  test(`places the same order of type ${type} again from its own fields, and refuses it without any that it needs`, () => {
    const fields = { link: LINK, quantity: "50", ...GIVEN[type] };
    const parsed = parseOrder({ type, ...TERMS }, fields);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.fault));
    expect(parseOrder({ type, ...TERMS }, fieldsOfOrder(parsed.order))).toEqual(parsed);
    const left = fieldsOfType(type).needs.filter(({ optional }) => optional);
    const least = parseOrder(
      { type, ...TERMS },
      { ...fields, ...Object.fromEntries(left.map(({ name }) => [name, ""])) },
    );
    if (!least.ok) throw new Error(JSON.stringify(least.fault));
    expect(parseOrder({ type, ...TERMS }, fieldsOfOrder(least.order))).toEqual(least);
    for (const { name, optional } of fieldsOfType(type).needs) {
      const refused = parseOrder({ type, ...TERMS }, { ...fields, [name]: " " });
      if (optional) expect(refused.ok, name).toBe(true);
      else expect(refused).toMatchObject({ ok: false, fault: { reason: "invalid_field", field: name } });
    }
    const linked = parseOrder({ type, ...TERMS }, { ...fields, link: "" });
    expect(linked.ok).toBe(!fieldsOfType(type).link);
  });
}

test("picks texts out of a form, and neither files nor what is missing", () => {
  const sent: Record<string, unknown> = { link: LINK, quantity: 50, comments: new File(["x"], "x.txt"), media: null };
  expect(pickOrderFields((name) => sent[name])).toEqual({ link: LINK });
});

test("takes the quantity from the type: entered, one, or a line each", () => {
  const quantityOf = (type: OrderType, more: OrderFields = {}) => {
    const parsed = parseOrder({ type, ...TERMS }, { link: LINK, quantity: "50", ...GIVEN[type], ...more });
    return parsed.ok ? parsed.order.quantity : parsed.fault.reason;
  };
  expect(quantityOf("Default")).toBe(50);
  // A package ignores both the quantity and the service's limits.
  expect(quantityOf("Package", { quantity: "7" })).toBe(1);
  expect(quantityOf("Custom Comments Package")).toBe(1);
  expect(quantityOf("Custom Comments")).toBe(12);
  expect(quantityOf("Mentions Custom List")).toBe(11);
  expect(quantityOf("Custom Comments", { comments: lines(9) })).toBe("quantity_too_small");
  expect(quantityOf("Custom Comments", { comments: lines(100) })).toBe(100);
  expect(quantityOf("Custom Comments", { comments: lines(101) })).toBe("quantity_too_large");
});

test("accepts quantities from the minimum to the maximum, as plain whole numbers", () => {
  const reasonOf = (quantity: string) => {
    const parsed = parseOrder({ type: "Default", ...TERMS }, { link: LINK, quantity });
    return parsed.ok ? parsed.order.quantity : parsed.fault;
  };
  expect([reasonOf("10"), reasonOf(" 100 ")]).toEqual([10, 100]);
  expect(reasonOf("9")).toEqual({ reason: "quantity_too_small", min: 10 });
  expect(reasonOf("101")).toEqual({ reason: "quantity_too_large", max: 100 });
  for (const bad of ["", "1e2", "-50", "50.0", "5 0", "0x32", "99999999999", "2147483648"]) {
    expect(reasonOf(bad), bad).toMatchObject({ reason: "invalid_field", field: "quantity" });
  }
});

test("refuses an order without link or quantity, and accepts the largest quantity that the database holds", () => {
  const terms = { type: "Default", min: 1, max: 2_147_483_647, dripfeed: false } as const;
  expect(parseOrder(terms, { quantity: "1" })).toEqual({ ok: false, fault: { reason: "bad_link" } });
  expect(parseOrder(terms, { link: LINK })).toMatchObject({ ok: false, fault: { field: "quantity" } });
  expect(parseOrder(terms, { link: LINK, quantity: "2147483647" })).toMatchObject({ ok: true });
});

test("says how to write a field that is wrong", () => {
  const textOf = (type: OrderType, fields: OrderFields) => {
    const parsed = parseOrder({ type, ...TERMS }, { link: LINK, quantity: "10", ...fields });
    return !parsed.ok && "text" in parsed.fault ? parsed.fault.text : null;
  };
  expect(textOf("SEO", {})).toBe("Enter keywords, one per line, without control characters");
  expect(textOf("Poll", { answer_number: "x" })).toBe("Enter answer number as a whole number");
  expect(textOf("Mentions Media Likers", { media: "x" })).toBe("Enter media as a web address");
  expect(textOf("Comment Likes", {})).toBe("Enter username");
});

test("accepts a drip-feed of up to 1,000 runs and thirty days, only where type and service have it", () => {
  const of = (fields: OrderFields, terms: Partial<typeof TERMS & { type: OrderType }> = {}) => {
    const parsed = parseOrder({ type: "Default", ...TERMS, ...terms }, { link: LINK, quantity: "10", ...fields });
    if (!parsed.ok) return "field" in parsed.fault ? parsed.fault.field : parsed.fault.reason;
    return [parsed.order.runs, parsed.order.intervalMinutes];
  };
  expect(of({ runs: "1000", interval: "43200" })).toEqual([1000, 43_200]);
  expect(of({ runs: "2", interval: "1" })).toEqual([2, 1]);
  expect(of({ runs: "1001", interval: "60" })).toBe("runs");
  expect(of({ runs: "two", interval: "60" })).toBe("runs");
  expect(of({ runs: "2", interval: "43201" })).toBe("interval");
  expect(of({ runs: "2", interval: "0" })).toBe("interval");
  expect(of({ runs: "2" })).toBe("interval");
  for (const none of [{}, { runs: "0" }, { runs: "1", interval: "60" }, { runs: "", interval: "" }]) {
    expect(of(none), JSON.stringify(none)).toEqual([1, null]);
  }
  expect(of({ runs: "2", interval: "60" }, { dripfeed: false })).toBe("runs");
  expect(of({ runs: "2", interval: "60", keywords: "a" }, { type: "SEO" })).toBe("runs");
});

test("charges a subscription for its posts at the maximum of each, within the service's limits", () => {
  const of = (fields: OrderFields) => {
    const terms = { type: "Subscriptions", ...TERMS } as const;
    const parsed = parseOrder(terms, { username: "a", min: "10", max: "20", delay: "0", posts: "3", ...fields });
    if (!parsed.ok) return "field" in parsed.fault ? parsed.fault.field : parsed.fault.reason;
    return [parsed.order.link, parsed.order.quantity, parsed.order.runs];
  };
  expect(of({ old_posts: "2", link: LINK })).toEqual(["", 20, 5]);
  expect(of({ min: "10", max: "100" })).toEqual(["", 100, 3]);
  expect(of({ min: "20", max: "20" })).toEqual(["", 20, 3]);
  expect(of({ min: "9" })).toBe("quantity_too_small");
  expect(of({ max: "101" })).toBe("quantity_too_large");
  expect(of({ min: "21" })).toBe("min");
  expect(of({ posts: "600", old_posts: "400" })).toEqual(["", 20, 1000]);
  expect(of({ posts: "600", old_posts: "401" })).toBe("posts");
  for (const delay of ["0", "5", "10", "15", "30", "60", "90", "600"]) expect(of({ delay }), delay).toHaveLength(3);
  for (const delay of ["1", "20", "45", "605", "630"]) expect(of({ delay }), delay).toBe("delay");
  for (const expiry of ["1/2/2030", "31/12/2030", "29/02/2028"]) expect(of({ expiry }), expiry).toHaveLength(3);
  for (const expiry of ["29/02/2027", "31/04/2030", "12/31/2030", "0/1/2030", "1/1/30", "tomorrow"]) {
    expect(of({ expiry }), expiry).toBe("expiry");
  }
});

test("accepts links to the web of up to 2,000 characters", () => {
  const linkOf = (link: string) => {
    const parsed = parseOrder({ type: "Default", ...TERMS }, { link, quantity: "10" });
    return parsed.ok ? parsed.order.link : null;
  };
  const longest = `${LINK}/${"x".repeat(2000 - LINK.length - 1)}`;
  expect(linkOf(longest)).toBe(longest);
  expect(linkOf(`${longest}x`)).toBeNull();
  expect(linkOf(" instagram.com/p/1 ")).toBe(LINK);
  expect(linkOf("http://x.com/a")).toBe("http://x.com/a");
  for (const bad of [
    "",
    "x",
    "localhost",
    "ftp://x.com/a",
    "javascript:alert(1)",
    "https://me@x.com/",
    "x.com/a b",
    "https://",
  ]) {
    expect(linkOf(bad), bad).toBeNull();
  }
});

test("accepts texts of up to 500 characters on one line, and lists of up to 200,000", () => {
  const isOk = (type: OrderType, fields: OrderFields) =>
    parseOrder({ type, ...TERMS, max: 200_000 }, { link: LINK, quantity: "10", ...fields }).ok;
  expect(isOk("Comment Likes", { username: "x".repeat(500) })).toBe(true);
  expect(isOk("Comment Likes", { username: "x".repeat(501) })).toBe(false);
  expect(isOk("Comment Likes", { username: "a\nb" })).toBe(false);
  expect(isOk("SEO", { keywords: "x".repeat(200_000) })).toBe(true);
  expect(isOk("SEO", { keywords: "x".repeat(200_001) })).toBe(false);
  expect(isOk("SEO", { keywords: "\n \n" })).toBe(false);
  expect(isOk("Poll", { answer_number: "first" })).toBe(false);
  expect(isOk("Mentions Media Likers", { media: "no link" })).toBe(false);
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, n) => `line ${n}`).join("\n");
}
