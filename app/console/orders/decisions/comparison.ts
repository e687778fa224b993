import type { OrderStatus } from "#app/db/schema.server.ts";

/** An order here and at its provider. Amounts are micro-units. */
export type Comparison = {
  ours: { status: OrderStatus; remains: number; startCount: number | null; cost: number | null };
  /** Null: the answer says nothing about the order. A status that can't be read is null. */
  theirs: {
    status: OrderStatus | null;
    remains: number | null;
    startCount: number | null;
    cost: number | null;
    /** "" if the provider names none. */
    currency: string;
  } | null;
  /** The provider's own words. */
  words: string;
  effect: ComparisonEffect;
  /** Names this order and this answer: what is applied must still be it. */
  digest: string;
};

/** What applying the provider's answer would do. */
export type ComparisonEffect =
  | { kind: "goes_on"; status: OrderStatus }
  | { kind: "ends"; status: OrderStatus; refund: number }
  | { kind: "same" | "ended" | "not_there" | "unreadable" | "no_remains" };

export const NO_EFFECT_TEXTS = {
  same: "The provider says what we have.",
  ended: "The order has ended here, so nothing changes.",
  not_there: "The order isn't with its provider at the moment, so nothing changes.",
  unreadable: "The provider's answer has no status that can be read.",
  no_remains: "The provider ended it and doesn't say how much was delivered. Set the status and remains yourself.",
};
