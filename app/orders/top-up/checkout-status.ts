import type { CheckoutStatus } from "#app/db/schema.server.ts";
import { statusesWith } from "#app/orders/rules/statuses-with.ts";

/**
 * The meaning of a checkout's status.
 * `canBePaid`: Stripe may report a success after a failure or an expiry.
 * `listed`: customers see it among their payments. The others were abandoned.
 * `deleted`: nothing was paid, so it is deleted once it is old.
 */
type CheckoutRule = { canBePaid: boolean; listed: boolean; deleted: boolean };

/** Every list of statuses, and every list of them in SQL, follows from this. */
const CHECKOUT_RULES = {
  open: { canBePaid: true, listed: false, deleted: true },
  pending: { canBePaid: true, listed: true, deleted: false },
  paid: { canBePaid: false, listed: true, deleted: false },
  failed: { canBePaid: true, listed: false, deleted: true },
  expired: { canBePaid: true, listed: false, deleted: true },
  review: { canBePaid: false, listed: true, deleted: false },
  refused: { canBePaid: false, listed: true, deleted: false },
} as const satisfies Record<CheckoutStatus, CheckoutRule>;

export const UNPAID_STATUSES: CheckoutStatus[] = statusesWith(CHECKOUT_RULES, { canBePaid: true });
export const LISTED_STATUSES: CheckoutStatus[] = statusesWith(CHECKOUT_RULES, { listed: true });
export const DELETED_STATUSES: CheckoutStatus[] = statusesWith(CHECKOUT_RULES, { deleted: true });
