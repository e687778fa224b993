import { expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { quote } from "./quote.ts";

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
  expect(quote(terms, { ...filled, posts: "", oldPosts: "" })).toEqual({ charge: null, why: "none" });
  expect(quote(terms, { ...filled, max: "501" })).toEqual({ charge: null, why: "too_large" });
});
