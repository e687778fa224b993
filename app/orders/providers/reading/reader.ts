import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";
import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import type { Meaning } from "#app/orders/providers/conventions/error-meanings.ts";

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
const MAX_TEXT = 300;

/**
 * Returns a word without case, blanks, underscores, hyphens and other signs: "In-Progress" and "in_progress" are one. A
 * question mark stays: who writes "Completed?" does not say that it is.
 */
export function wordKey(word: string): string {
  return word
    .slice(0, MAX_WORD)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}?]/gu, "");
}

/**
 * Returns an error text without what differs from order to order: links, numbers, ids and what stands in quotes. The same
 * text about another order has the same key.
 */
export function textKey(text: string): string {
  return text
    .slice(0, 2 * MAX_TEXT)
    .toLowerCase()
    .replaceAll(/\bhttps?:\/\/\S{1,99}/g, "#")
    .replaceAll(/"[^"]{0,99}"|“[^”]{0,99}”|'[^' ]{1,99}'/g, "#")
    .split(/[^\p{L}\p{N}#]/u)
    .filter((word) => word !== "")
    .map((word) => (/[\d#]/.test(word) ? "#" : word))
    .join(" ")
    .slice(0, MAX_TEXT);
}
