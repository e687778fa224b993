import { ClockTime, useHasPassed } from "#app/components/formats/clock-time.tsx";
import { chatHash } from "#app/components/navigation/chat-hash.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { isDelivered, isOpen } from "#app/orders/rules/order-status.ts";
import type { OrderRow } from "./order-rows.server.ts";

type Timed = Pick<
  OrderRow,
  "id" | "status" | "expectedBy" | "isPastExpected" | "canRefill" | "refillDays" | "refillUntil"
>;

/** When an open order is usually done, or that it is late, with the way to help. Nothing if no time is known. */
export function OrderTiming({
  order,
  className = "",
  inFull = false,
}: {
  order: Timed;
  className?: string;
  /** Also says when a late order is usually done. */
  inFull?: boolean;
}) {
  const isLate = useHasPassed(order.expectedBy, order.isPastExpected);
  if (!isOpen(order) || order.expectedBy === null) return null;
  if (!isLate) {
    return (
      <span className={className}>
        Usually done by <ClockTime at={order.expectedBy} />
      </span>
    );
  }
  return (
    <span className={`inline-flex flex-wrap items-center gap-x-2 ${className}`}>
      <Badge tone="warn">Late</Badge>
      {inFull && (
        <span>
          Usually done by <ClockTime at={order.expectedBy} />
        </span>
      )}
      {/* Loads the page, so that the chat reads the message that the hash begins. */}
      <a
        href={`/dashboard/orders/${order.id}?help=1${chatHash(order.id)}`}
        aria-label={`Get help with order ${order.id}`}
        className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-8 print:hidden"
      >
        Get help
      </a>
    </span>
  );
}

/** Until when a delivered order can be refilled. Nothing if no days were promised. */
export function RefillDeadline({ order }: { order: Timed }) {
  const isOver = useHasPassed(order.refillUntil, !order.canRefill);
  if (!isDelivered(order.status) || order.refillUntil === null) return null;
  return (
    <>
      {isOver ? "Refill ended " : "Refill until "}
      <ClockTime at={order.refillUntil} time={false} />
    </>
  );
}
