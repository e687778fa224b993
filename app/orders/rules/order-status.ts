import type { Tone } from "#app/components/ui/badge.tsx";
import type { OrderStatus } from "#app/db/schema.server.ts";

export const STATUS_TONES: Record<OrderStatus, Tone> = {
  Pending: "neutral",
  Processing: "active",
  "In progress": "active",
  Completed: "good",
  Partial: "warn",
  Canceled: "bad",
};

/** Statuses that an order never leaves. */
export const FINAL_STATUSES = ["Completed", "Partial", "Canceled"] as const satisfies OrderStatus[];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export const OPEN_STATUSES: Exclude<OrderStatus, FinalStatus>[] = ["Pending", "Processing", "In progress"];

export function isFinal(status: OrderStatus): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}

export function isOpen({ status }: { status: OrderStatus }): boolean {
  return !isFinal(status);
}

/** What the customer may still ask for. One refill at a time is open; a wish to cancel is made once. */
export function askable(order: {
  status: OrderStatus;
  canRefill: boolean;
  canCancel: boolean;
  refill: string | null;
  cancellation: string | null;
}): { refill: boolean; cancel: boolean } {
  const delivered = order.status === "Completed" || order.status === "Partial";
  const refillOpen = order.refill === "Pending" || order.refill === "In progress";
  return {
    refill: order.canRefill && delivered && !refillOpen,
    cancel: order.canCancel && isOpen(order) && order.cancellation === null,
  };
}

/** What was asked for beside the order and is not over, or was refused; null when nothing is to be said. */
export function wishText(order: {
  status: OrderStatus;
  refill: string | null;
  cancellation: string | null;
}): string | null {
  if (isOpen(order) && order.cancellation === "Pending") return "Cancel requested";
  if (isOpen(order) && order.cancellation === "Rejected") return "Cancel refused";
  if (order.refill === null) return null;
  const words: Record<string, string> = {
    Pending: "requested",
    "In progress": "in progress",
    Completed: "completed",
    Rejected: "refused",
  };
  return `Refill ${words[order.refill] ?? order.refill}`;
}
