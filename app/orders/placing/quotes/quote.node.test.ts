import { expect, test } from "vitest";
import { ORDER_TYPES } from "#app/db/schema.server.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import { fieldsOfType, isPerOrder, ORDER_FIELD_NAMES, type OrderFields } from "#app/orders/rules/order-input.ts";
import { parseOrder } from "#app/orders/rules/parse-order.server.ts";
import { MICRO } from "#app/product.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { quote } from "./quote.ts";
import { filledOf } from "./quoted-fields.ts";

const LIKES = { rate: 2 * MICRO, min: 100, max: 10_000, perOrder: false, countedBy: null };
const EMPTY = { quantity: "", list: "", runs: "" };

test("charges a quantity within the limits", () => {
  expect(quote(LIKES, { ...EMPTY, quantity: "1500" })).toEqual({ charge: 3 * MICRO, pieces: 1500 });
});

test("multiplies the charge by the runs of a drip-feed", () => {
  expect(quote(LIKES, { ...EMPTY, quantity: "1000", runs: "5" })).toEqual({ charge: 10 * MICRO, pieces: 5000 });
});

test("returns no charge outside the limits or without a quantity", () => {
  expect(quote(LIKES, { ...EMPTY, quantity: "99" })).toEqual({ charge: null, why: "too_small" });
  expect(quote(LIKES, { ...EMPTY, quantity: "10001" })).toEqual({ charge: null, why: "too_large" });
  expect(quote(LIKES, EMPTY)).toEqual({ charge: null, why: "none" });
  expect(quote(LIKES, { ...EMPTY, quantity: "1e3" })).toEqual({ charge: null, why: "none" });
});

test("charges a package its rate whatever the quantity", () => {
  expect(quote({ ...LIKES, perOrder: true }, EMPTY)).toEqual({ charge: 2 * MICRO, pieces: 1 });
});

test("counts the non-empty lines of a list", () => {
  const comments = { ...LIKES, min: 2, countedBy: "comments" as const };
  expect(quote(comments, { ...EMPTY, list: "nice\r\n\n well done \n" })).toEqual({ charge: 4000, pieces: 2 });
});

test("charges a subscription its maximum for each new and old post", () => {
  const terms = { rate: 1_000_000, min: 10, max: 500, perOrder: false, byPosts: true, countedBy: null };
  const filled = { quantity: "", list: "", runs: "", max: "100", posts: "3", oldPosts: "2" };
  expect(quote(terms, filled)).toEqual({ charge: 500_000, pieces: 500 });
  const openEnded = { charge: 3_000_000, pieces: 3000 };
  expect(quote(terms, { ...filled, posts: "", oldPosts: "" })).toEqual(openEnded);
  expect(quote(terms, { ...filled, posts: "0", oldPosts: "0" })).toEqual(openEnded);
  expect(quote(terms, { ...filled, max: "501" })).toEqual({ charge: null, why: "too_large" });
});

test("shows the charge of every order that the server takes, however its numbers are written", () => {
  const { pick } = seededRandom(63);
  const numbers = [
    "",
    "0",
    "00",
    "1",
    "2",
    "07",
    " 3 ",
    "010",
    "100",
    "0150",
    "1000",
    "1001",
    "1e2",
    "+5",
    "2.0",
    "١٢",
  ];
  const texts: Partial<Record<string, string[]>> = {
    link: ["https://example.com/a"],
    comments: ["", "one\r\n\n two \rthree", "x\n".repeat(200)],
    usernames: ["", "a\nb", "u\n".repeat(150)],
    country: ["US"],
    device: ["1"],
    type_of_traffic: ["1"],
    delay: ["0"],
    expiry: [""],
  };
  const words = new Set(["hashtags", "hashtag", "username", "keywords", "groups", "google_keyword"]);
  let taken = 0;
  for (let run = 0; run < 40_000; run++) {
    const type = pick(ORDER_TYPES);
    const terms = { type, min: pick([1, 2, 100]), max: pick([100, 150, 1000]), dripfeed: pick([true, false]) };
    const fields: OrderFields = {};
    for (const name of ORDER_FIELD_NAMES) {
      const choices =
        name.endsWith("url") || name === "media" ? ["https://example.com/b"] : words.has(name) ? ["w"] : numbers;
      fields[name] = pick(texts[name] ?? choices);
    }
    const { runs, countedBy } = fieldsOfType(type);
    // The form sends only the fields that it shows.
    const asksRuns = runs && terms.dripfeed;
    if (!asksRuns) fields.runs = "";
    const parsed = parseOrder(terms, fields);
    if (!parsed.ok) continue;
    taken++;
    const rate = 1_234_567;
    const perOrder = isPerOrder(type);
    const charge = chargeFor({ rate, perOrder, quantity: parsed.order.quantity, runs: parsed.order.runs });
    const offer = { ...terms, rate, perOrder, countedBy, byPosts: type === "Subscriptions" };
    expect(quote(offer, filledOf({ countedBy, asksRuns }, fields)).charge, JSON.stringify(fields)).toBe(charge);
  }
  expect(taken).toBeGreaterThan(2000);
});
