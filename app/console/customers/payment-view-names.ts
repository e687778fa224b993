import type { PaymentView } from "./payment-list.server.ts";

/** Names of the views of payments that staff choose from. */
export const PAYMENT_VIEW_NAMES: Record<PaymentView, string> = {
  review: "In review",
  reversed: "Reversed",
  all: "All",
};
