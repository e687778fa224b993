import type { EditFields } from "#app/components/forms/edit-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import type { StaffOrder } from "#app/console/orders/timeline/staff-order.server.ts";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { isOpen, isRefillOpen, isRefundable } from "#app/orders/rules/order-status.ts";
import { CancellationForm } from "./cancellation-form.tsx";
import { RefillForm } from "./refill-form.tsx";
import { RefundForm } from "./refund-form.tsx";
import { ResolveHeldForm } from "./resolve-held-form.tsx";
import { SetStatusForm } from "./set-status-form.tsx";

type Shown = Pick<StaffOrder, "order" | "provider" | "refills" | "cancellation">;

/** Returns which forms an order's state allows, by the intent they submit. */
export function allowedForms({ order, refills, cancellation }: Shown) {
  const open = isOpen(order);
  return {
    resolve: order.fulfillment === "held" && open,
    cancel: cancellation?.status === "Pending" && cancellation.fulfillment === "manual" && open,
    refill: refills.some(needsDecision),
    status: open,
    refund: isRefundable(order.status) && order.refunded === 0 && order.charge > 0,
  };
}

/** The forms with which an admin changes an order, as far as its state allows. */
export function OrderForms({
  shown,
  statuses,
  result,
}: {
  shown: Shown & { edit: EditFields };
  statuses: readonly OrderStatus[];
  result: FormResult | null;
}) {
  const { order, provider, refills } = shown;
  const allowed = allowedForms(shown);
  return (
    <div className="flex flex-col gap-6">
      {allowed.resolve && (
        <Card title="Resolve held order" titleId="held" className="border-warn">
          <ResolveHeldForm order={order} provider={provider?.name ?? "The provider"} result={result} />
        </Card>
      )}
      {allowed.cancel && (
        <Card title="Cancellation requested" titleId="cancellation">
          <CancellationForm order={order} result={result} />
        </Card>
      )}
      {refills.filter(needsDecision).map((refill) => (
        <Card key={refill.id} as="article" title="Refill requested" titleId={`refill-${refill.id}`}>
          <RefillForm refill={refill} result={result} />
        </Card>
      ))}
      {allowed.status && (
        <Card title="Set status and remains" titleId="set-status">
          <SetStatusForm
            key={`${order.status} ${order.remains}`}
            order={order}
            edit={shown.edit}
            statuses={statuses}
            result={result}
          />
        </Card>
      )}
      {allowed.refund && (
        <Card title="Refund" titleId="refund">
          <RefundForm order={order} result={result} />
        </Card>
      )}
    </div>
  );
}

/** Returns whether a refill waits for a person rather than for the provider. */
function needsDecision({ status, fulfillment }: StaffOrder["refills"][number]): boolean {
  return isRefillOpen(status) && (fulfillment === "manual" || fulfillment === "held");
}
