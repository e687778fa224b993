import { cutText } from "#app/cut-text.ts";
import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";
import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import type { Meaning } from "#app/orders/providers/conventions/error-meanings.ts";
import { withoutQuotes } from "./own-texts.ts";

/** What staff taught for one provider. Keys are what `wordKey` and `textKey` return. They precede the convention's words. */
export type TaughtWords = {
  states: Readonly<Record<string, OrderStatus>>;
  refillStates: Readonly<Record<string, RefillStatus>>;
  errors: Readonly<Record<string, Meaning>>;
};

export const NOTHING_TAUGHT: TaughtWords = { states: {}, refillStates: {}, errors: {} };

/** Reads the answers of one provider: the words of its family, and those that staff taught for it. */
export type Reader = { convention: Convention; words: TaughtWords };

const MAX_WORD = 60;
const OWN_KEY = /^[a-z\d]{1,60}$/;
const MAX_TEXT = 300;

/**
 * Returns a word without case, blanks, underscores, hyphens and other signs: "In-Progress" and "in_progress" are one. A
 * question mark stays: who writes "Completed?" does not say that it is.
 */
export function wordKey(word: string): string {
  // Most names of members are their own keys, and a catalog has 200,000 of them.
  if (OWN_KEY.test(word)) return word;
  return cutText(word, MAX_WORD)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}?]/gu, "");
}

/** What tells one order's text from another's: links, also without a protocol, emails, names of accounts, and what stands in quotes. */
const VARYING = [
  /\bhttps?:\/\/\S+/g,
  /(?<!\S)[\w-]{1,60}\.[\w.-]{1,60}\/\S*/g,
  /(?<![^\s(<"'])[^\s@(<"']{0,99}@[\p{L}\p{N}_.-]+/gu,
  /"[^"]{0,99}"|“[^”]{0,99}”|'[^' ]{1,99}'/g,
];

/**
 * Returns an error text without what differs from order to order: links, numbers, ids, what stands in quotes, and the order's
 * own texts (`inputs`). The same text about another order has the same key.
 */
export function textKey(text: string, inputs: readonly string[] = []): string {
  const lower = withoutQuotes(text.slice(0, 2 * MAX_TEXT).toLowerCase(), inputs, "#");
  const key = VARYING.reduce((left, pattern) => left.replaceAll(pattern, "#"), lower)
    .split(/[^\p{L}\p{N}#]/u)
    .filter((word) => word !== "")
    .map((word) => (/[\d#]/.test(word) ? "#" : word))
    .filter((word, at, words) => word !== "#" || words[at - 1] !== "#")
    .join(" ");
  return cutText(key, MAX_TEXT);
}
