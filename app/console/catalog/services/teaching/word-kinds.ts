import type { UnreadKind } from "#app/db/schema.server.ts";

/** What each kind of word or answer is called. */
export const KIND_NAMES: Record<UnreadKind, string> = {
  state: "Order status",
  refill_state: "Refill status",
  error: "Error text",
  shape: "Unknown form",
};
