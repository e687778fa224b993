import type { PushContent } from "#app/push/push-content.ts";
import { formatMoney } from "./money-text.ts";
import { type FinalStatus, leavesNothing } from "./order-status.ts";

const ENDED: Record<FinalStatus, string> = {
  Completed: "completed",
  Partial: "partly delivered",
  Canceled: "canceled",
};

/** Returns the notification about an order that has ended. `refunded`: by this ending, in micro-units. */
export function orderNotification(order: { id: number; status: FinalStatus; refunded: number }): PushContent {
  const { id, status, refunded } = order;
  const whole = leavesNothing(status) ? "Everything is delivered." : "The order has ended.";
  return {
    title: `Order ${id} ${ENDED[status]}`,
    body: refunded > 0 ? `${formatMoney(refunded)} refunded to your balance.` : whole,
    path: `/dashboard/orders/${id}`,
    tag: `order-${id}`,
  };
}
