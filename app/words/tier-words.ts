import type { FieldWords } from "./field-words.ts";

/** What the fields of a tier are called. */
export const TIER_WORDS = {
  name: "Name",
  kind: { label: "Price", values: { percent: "Percent off every rate", fixed: "Its own rates" } },
  percent: "Percent off",
} as const satisfies FieldWords;
