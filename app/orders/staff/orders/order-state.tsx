import { Badge } from "#app/components/ui/badge.tsx";
import { ORDER_STATUS_TONES } from "#app/components/ui/order-status-tones.ts";
import type { FulfillmentState, OrderStatus } from "#app/db/schema.server.ts";

export const FULFILLMENT_TEXTS: Record<FulfillmentState, string> = {
  manual: "Worked by hand",
  queued: "Waits to be sent",
  submitting: "Being sent",
  accepted: "With its provider",
  rejected: "Not taken",
  held: "Held: nobody knows whether its provider took it",
};

export function OrderState({ status, fulfillment }: { status: OrderStatus; fulfillment: FulfillmentState }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {fulfillment === "held" && <Badge tone="warn">Held</Badge>}
      <Badge tone={ORDER_STATUS_TONES[status]}>{status}</Badge>
    </span>
  );
}
