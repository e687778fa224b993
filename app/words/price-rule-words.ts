import type { FieldWords } from "./field-words.ts";

/** What the fields of a price rule are called. */
export const PRICE_RULE_WORDS = {
  category: "Category",
  margin: "Margin",
  roundTo: "Round up to",
  minimum: "Lowest rate",
} as const satisfies FieldWords;
