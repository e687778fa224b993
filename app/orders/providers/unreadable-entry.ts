import type { RateFault } from "./rate-text.ts";

/** An entry of a provider's catalog that is not offered as it stands. Its service here stays as it is. */
export type UnreadableEntry = {
  /** "?" if it has none. */
  id: string;
  reason: UnreadableReason;
  /** The provider's word that the reason is about, cut to what fits on a line. */
  word: string;
  /** The start of the entry, as JSON. */
  raw: string;
};

export type UnreadableReason =
  | RateFault
  | "no_service"
  | "id"
  | "name"
  | "name_letters"
  | "type"
  | "type_missing"
  | "rate_unit"
  | "min"
  | "max"
  | "limits"
  | "terms";

const SENTENCES: Record<UnreadableReason, (word: string) => string> = {
  no_service: () => "It isn't a service.",
  id: () => "It has no ID that an order could name.",
  name: () => "It has no name.",
  name_letters: (word) =>
    `Letters of its name ${word} are lost, because the provider doesn't say how they are encoded.`,
  type: (word) => `Its type ${word} is unknown.`,
  type_missing: () => "It has no type and a maximum of 1, so its rate may be for one order or for 1,000 pieces.",
  rate_missing: () => "It has no rate.",
  rate_unit: (word) => `It has a price of ${word} but no rate, so the price may be for one piece or for 1,000.`,
  rate: (word) => `Its rate ${word} is not a price.`,
  rate_ambiguous: (word) => `Its rate ${word} can be read in two ways, one of them 1,000 times the other.`,
  rate_currency: (word) => `Its rate ${word} is in another currency.`,
  rate_high: (word) => `Its rate ${word} is above $1,000,000.`,
  min: (word) => `Its minimum ${word} is not a number of pieces.`,
  max: (word) => `Its maximum ${word} is not a number of pieces.`,
  limits: (word) => `Its minimum is above its maximum: ${word}.`,
  terms: () => "It is listed more than once, with different terms.",
};

/** Says why an entry can't be read, in words for staff. */
export function whyUnreadable({ reason, word }: Pick<UnreadableEntry, "reason" | "word">): string {
  return SENTENCES[reason](word === "" ? "(empty)" : `“${word}”`);
}
