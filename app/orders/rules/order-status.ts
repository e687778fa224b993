import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";

/** Statuses that an order never leaves. */
export const FINAL_STATUSES = ["Completed", "Partial", "Canceled"] as const satisfies OrderStatus[];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export const OPEN_STATUSES: Exclude<OrderStatus, FinalStatus>[] = ["Pending", "Processing", "In progress"];

/** Statuses in which a refill waits for its provider or a person. */
export const OPEN_REFILL_STATUSES = ["Pending", "In progress"] as const satisfies RefillStatus[];

export function isFinal(status: OrderStatus): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}

export function isOpen({ status }: { status: OrderStatus }): boolean {
  return !isFinal(status);
}

/** Returns whether something was delivered, so that it can drop and be refilled. */
export function isDelivered(status: OrderStatus): boolean {
  return status === "Completed" || status === "Partial";
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
