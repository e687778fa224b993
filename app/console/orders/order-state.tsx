import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import type { FulfillmentState, OrderStatus } from "#app/db/schema.server.ts";

export const FULFILLMENT_TEXTS: Record<FulfillmentState, string> = {
  manual: "Manual",
  queued: "Waiting to be sent",
  submitting: "Being sent",
  accepted: "Accepted by provider",
  rejected: "Rejected by provider",
  held: "Held: provider hasn't confirmed",
};

export function OrderState({ status, fulfillment }: { status: OrderStatus; fulfillment: FulfillmentState }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {fulfillment === "held" && <Badge tone="warn">Held</Badge>}
      <Badge tone={ORDER_STATUS_TONES[status]}>{status}</Badge>
    </span>
  );
}
