import { ownValue } from "#app/own-value.ts";
import { PRODUCT_NAME } from "#app/product.ts";

/** Shorter words are parts of many good passwords. */
const MIN_WORD_CHARACTERS = 4;

/** Characters that people write for a letter. "l" and "i" become one, because "1", "!" and "|" stand for both. */
const LETTERS: Record<string, string> = {
  "0": "o",
  "1": "i",
  "!": "i",
  "|": "i",
  l: "i",
  "3": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "+": "t",
  "8": "b",
};

/** Whose password it is. */
export type PasswordOwner = { email: string; fullName: string };

/**
 * Returns whether more than half of a password is the product's name, a part of its owner's name or of the email address:
 * such words are what a guess starts with (ASVS 5.0, 6.2.11).
 */
export function isMostlyContext(password: string, { email, fullName }: PasswordOwner): boolean {
  const text = plain(password);
  const [local = "", domain = ""] = email.split("@");
  // Without the top-level domain.
  const sources = [PRODUCT_NAME, fullName, local, domain.split(".").slice(0, -1).join(" ")];
  const words = sources.flatMap((source) => [source, ...source.split(/[^\p{L}\p{N}]+/u)]).map(plain);
  const longestFirst = words
    .filter((word) => word.length >= MIN_WORD_CHARACTERS)
    .toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ""), text);
  return rest.length < text.length / 2;
}

/** Returns text without case, accents, spaces and punctuation, with letters for the characters that stand for them. */
function plain(text: string): string {
  const bare = text.normalize("NFKD").toLowerCase().replaceAll(/\p{M}/gu, "");
  return [...bare]
    .map((character) => ownValue(LETTERS, character) ?? character)
    .join("")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
