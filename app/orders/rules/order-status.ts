import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";

/**
 * What a status means for an order.
 * `stage`: an open order goes on; a final status is never left.
 * `polled`: the provider that accepted the order is asked for its status.
 * `refundable`: staff can refund it by hand. Until an order ends, its ending refunds what was not delivered.
 * `delivered`: something was delivered, so it can drop and be refilled.
 * `list`: where lists find it: with the `open` orders, with the `ended` ones by the indexes of statuses, or among `all`
 * orders by its id, as most orders come to be.
 */
type StatusRule =
  | { stage: "open"; list: "open"; polled: boolean; refundable: false; delivered: false }
  | { stage: "final"; list: "ended" | "all"; polled: false; refundable: boolean; delivered: boolean };

const OPEN = { stage: "open", list: "open", polled: true, refundable: false, delivered: false } as const;
const FINAL = { stage: "final", polled: false, refundable: true } as const;

/** Every list of statuses, and every list of them in SQL, follows from this. In the order of an order's life. */
const STATUS_RULES = {
  Pending: OPEN,
  Processing: OPEN,
  "In progress": OPEN,
  Completed: { ...FINAL, list: "all", delivered: true },
  Partial: { ...FINAL, list: "ended", delivered: true },
  Canceled: { ...FINAL, list: "ended", delivered: false },
} as const satisfies Record<OrderStatus, StatusRule>;

type StatusWith<Rule> = {
  [Status in OrderStatus]: (typeof STATUS_RULES)[Status] extends Rule ? Status : never;
}[OrderStatus];

function statusesWith<const Rule extends Partial<StatusRule>>(rule: Rule): StatusWith<Rule>[] {
  const statuses = Object.keys(STATUS_RULES) as OrderStatus[];
  return statuses.filter((status): status is StatusWith<Rule> =>
    Object.entries(rule).every(([name, value]) => ownValue<unknown>(STATUS_RULES[status], name) === value),
  );
}

export const OPEN_STATUSES = statusesWith({ stage: "open" });
/** Statuses that an order never leaves. */
export const FINAL_STATUSES = statusesWith({ stage: "final" });
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export const POLLED_STATUSES = statusesWith({ polled: true });
/** Statuses whose orders the indexes by status hold. */
export const INDEXED_STATUSES = [...OPEN_STATUSES, ...statusesWith({ list: "ended" })];
export type IndexedStatus = (typeof INDEXED_STATUSES)[number];
export const UNINDEXED_STATUSES = statusesWith({ list: "all" });

/** Statuses in which a refill waits for its provider or a person. */
export const OPEN_REFILL_STATUSES = ["Pending", "In progress"] as const satisfies RefillStatus[];

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

/** Returns whether staff can refund an order of this status, which nothing else will. */
export function isRefundable(status: OrderStatus): boolean {
  return STATUS_RULES[status].refundable;
}

/** Returns whether the indexes by status hold the orders of this status. */
export function isIndexed(status: OrderStatus): status is IndexedStatus {
  return STATUS_RULES[status].list !== "all";
}

export function isRefillOpen(status: RefillStatus | null): boolean {
  return OPEN_REFILL_STATUSES.some((open) => open === status);
}

type Requests = { status: OrderStatus; refill: RefillStatus | null; cancellation: string | null };

/** Returns what the customer can request. One refill is open at a time; a cancellation is requested once. */
export function availableRequests(order: Requests & { canRefill: boolean; canCancel: boolean }): {
  refill: boolean;
  cancel: boolean;
} {
  return {
    refill: order.canRefill && isDelivered(order.status) && !isRefillOpen(order.refill),
    cancel: order.canCancel && isOpen(order) && order.cancellation === null,
  };
}

const REFILL_TEXTS: Record<RefillStatus, string> = {
  Pending: "Refill requested",
  "In progress": "Refill in progress",
  Completed: "Refill completed",
  Rejected: "Refill declined",
};

/** Returns what to show about the order's refill or cancellation, or null. */
export function requestText(order: Requests): string | null {
  if (isOpen(order) && order.cancellation === "Pending") return "Cancellation requested";
  if (isOpen(order) && order.cancellation === "Rejected") return "Cancellation declined";
  return order.refill === null ? null : REFILL_TEXTS[order.refill];
}
