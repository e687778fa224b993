import type { QuarantineReason } from "#app/db/schema.server.ts";

/** Titles that staff see for the reasons why a change waits. */
export const REASON_TITLES: Record<QuarantineReason, string> = {
  jump: "Implausible price",
  below_cost: "Costs more than our rate",
  rise: "Rises too far",
  drop: "Falls too far",
  type: "Another type",
  limits: "Narrower limits",
  gone: "Gone",
};

export const REASON_NOTES: Record<QuarantineReason, string> = {
  jump: "Five times the price or more, or a fifth or less: a slip, another unit or another currency rather than a new price.",
  below_cost: "The provider asks more than the rate you set. Each order would lose money, so the service is paused.",
  rise: "Since a person last decided, the price has risen by more than this provider's limit.",
  drop: "Since a person last decided, our rate would fall by more than this provider's limit.",
  type: "The provider takes other details for an order, or charges per order instead of per 1,000.",
  limits: "The provider refuses orders that our limits allow.",
  gone: "The provider no longer lists the service.",
};
