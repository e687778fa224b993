import type { Order } from "#app/db/schema.server.ts";
import { refillDeadline } from "./refill-terms.ts";

export const IN_PROGRESS_AFTER_MS = 2000;
export const COMPLETED_AFTER_MS = 5000;
const SIMULATED_START_COUNT = 1000;

/** Returns an order's state. An order placed with a test key simulates progress from Pending to Completed. */
export function asOf(order: Order, now: number): Pick<Order, "status" | "remains" | "startCount" | "refillUntil"> {
  if (!order.isTest || order.status !== "Pending") return order;
  const age = now - order.createdAt;
  const total = order.quantity * order.runs;
  if (age < IN_PROGRESS_AFTER_MS) return order;
  const startCount = SIMULATED_START_COUNT;
  if (age < COMPLETED_AFTER_MS) {
    return { status: "In progress", remains: Math.ceil(total / 2), startCount, refillUntil: null };
  }
  const refillUntil = refillDeadline(order.refillDays, order.createdAt + COMPLETED_AFTER_MS);
  return { status: "Completed", remains: 0, startCount, refillUntil };
}
