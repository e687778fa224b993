import type { CancellationStatus, OrderStatus, RefillStatus } from "#app/db/schema.server.ts";
import { statusesWith } from "./statuses-with.ts";

/**
 * The meaning of an order's status.
 * `stage`: an open order goes on; a final status is never left.
 * `polled`: the provider that accepted the order is asked for its status.
 * `refundable`: staff can refund it by hand. Until an order ends, its ending refunds what was not delivered.
 * `delivered`: something was delivered, so it can drop and be refilled.
 * `leavesNothing`: all of it was delivered, so nothing remains, whatever its provider says.
 * `cancellation`: what becomes of a pending cancellation when the order ends so.
 * `list`: where lists find it: with the `open` orders, with the `ended` ones by the indexes of statuses, or among `all`
 * orders by its id, as most orders come to be.
 */
type StatusRule =
  | {
      stage: "open";
      list: "open";
      polled: boolean;
      refundable: false;
      delivered: false;
      leavesNothing: false;
      cancellation: null;
    }
  | {
      stage: "final";
      list: "ended" | "all";
      polled: false;
      refundable: boolean;
      delivered: boolean;
      leavesNothing: boolean;
      cancellation: Exclude<CancellationStatus, "Pending">;
    };

const OPEN = {
  stage: "open",
  list: "open",
  polled: true,
  refundable: false,
  delivered: false,
  leavesNothing: false,
  cancellation: null,
} as const;
const FINAL = { stage: "final", polled: false, refundable: true } as const;

/** Every list of statuses, and every list of them in SQL, follows from this. In the order of an order's life. */
const STATUS_RULES = {
  Pending: OPEN,
  Processing: OPEN,
  "In progress": OPEN,
  Completed: { ...FINAL, list: "all", delivered: true, leavesNothing: true, cancellation: "Rejected" },
  Partial: { ...FINAL, list: "ended", delivered: true, leavesNothing: false, cancellation: "Accepted" },
  Canceled: { ...FINAL, list: "ended", delivered: false, leavesNothing: false, cancellation: "Accepted" },
} as const satisfies Record<OrderStatus, StatusRule>;

export const OPEN_STATUSES = statusesWith(STATUS_RULES, { stage: "open" });
/** Statuses that an order never leaves. */
export const FINAL_STATUSES = statusesWith(STATUS_RULES, { stage: "final" });
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export const POLLED_STATUSES = statusesWith(STATUS_RULES, { polled: true });
/** Statuses whose orders the indexes by status hold. */
export const INDEXED_STATUSES = [...OPEN_STATUSES, ...statusesWith(STATUS_RULES, { list: "ended" })];
export type IndexedStatus = (typeof INDEXED_STATUSES)[number];
export const UNINDEXED_STATUSES = statusesWith(STATUS_RULES, { list: "all" });
/** Final statuses that decline a pending cancellation. The others accept it. */
export const DECLINING_STATUSES = statusesWith(STATUS_RULES, { cancellation: "Rejected" });

/** The meaning of a refill's status. `open`: it waits for its provider or a person. */
const REFILL_RULES = {
  Pending: { open: true, text: "Refill requested" },
  "In progress": { open: true, text: "Refill in progress" },
  Completed: { open: false, text: "Refill completed" },
  Rejected: { open: false, text: "Refill declined" },
} as const satisfies Record<RefillStatus, { open: boolean; text: string }>;

export const OPEN_REFILL_STATUSES = statusesWith(REFILL_RULES, { open: true });

const CANCELLATION_RULES = {
  Pending: { open: true },
  Accepted: { open: false },
  Rejected: { open: false },
} as const satisfies Record<CancellationStatus, { open: boolean }>;

export const OPEN_CANCELLATION_STATUSES = statusesWith(CANCELLATION_RULES, { open: true });

export function isFinal(status: OrderStatus): status is FinalStatus {
  return STATUS_RULES[status].stage === "final";
}

export function isOpen({ status }: { status: OrderStatus }): boolean {
  return !isFinal(status);
}

/** Returns whether something was delivered, so that it can drop and be refilled. */
export function isDelivered(status: OrderStatus): boolean {
  return STATUS_RULES[status].delivered;
}

/** Returns whether nothing remains of an order of this status. */
export function leavesNothing(status: OrderStatus): boolean {
  return STATUS_RULES[status].leavesNothing;
}

/** Returns whether staff can refund an order of this status, which nothing else will. */
export function isRefundable(status: OrderStatus): boolean {
  return STATUS_RULES[status].refundable;
}

/** Returns whether the indexes by status hold the orders of this status. */
export function isIndexed(status: OrderStatus): status is IndexedStatus {
  return STATUS_RULES[status].list !== "all";
}

export function isRefillOpen(status: RefillStatus | null): boolean {
  return status !== null && REFILL_RULES[status].open;
}

type Queued = { status: OrderStatus; refill: RefillStatus | null; cancellation: string | null };

/** Returns what the customer can ask for. One refill is open at a time; a cancellation is requested once. */
export function availableActions(order: Queued & { canRefill: boolean; canCancel: boolean }): {
  refill: boolean;
  cancel: boolean;
} {
  return {
    refill: order.canRefill && isDelivered(order.status) && !isRefillOpen(order.refill),
    cancel: order.canCancel && isOpen(order) && order.cancellation === null,
  };
}

/** Returns what to show about the order's refill or cancellation, or null. */
export function queueText(order: Queued): string | null {
  if (isOpen(order) && order.cancellation === "Pending") return "Cancellation requested";
  if (isOpen(order) && order.cancellation === "Rejected") return "Cancellation declined";
  return order.refill === null ? null : REFILL_RULES[order.refill].text;
}
