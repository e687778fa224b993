import { historyAfter } from "#app/db/order-steps.server.ts";
import type { HoldReason } from "#app/db/schema.server.ts";

/** Returns the columns of an order that is held from now on, until a person or its provider tells more. */
export function heldBy(heldFor: HoldReason, now: number) {
  return {
    fulfillment: "held",
    heldFor,
    history: historyAfter({ fulfillment: "held", heldFor }, now),
    updatedAt: now,
  } as const;
}
