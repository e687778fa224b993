import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import type { FulfillmentState, OrderStatus } from "#app/db/schema.server.ts";

const TONES: Record<OrderStatus, Tone> = {
  Pending: "neutral",
  Processing: "active",
  "In progress": "active",
  Completed: "good",
  Partial: "warn",
  Canceled: "bad",
};

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
      <Badge tone={TONES[status]}>{status}</Badge>
    </span>
  );
}
