import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import type { PlannedOrder } from "./planned-order.server.ts";

/** An order in one line: "2,500 TikTok followers · $7.75". */
export function PlannedOrderLine({ order: { pieces, service, charge } }: { order: PlannedOrder }) {
  const { number } = useFormats();
  return (
    <>
      {pieces !== null && `${number(pieces)} `}
      {service}
      {charge !== null && (
        <>
          {" · "}
          <Money micro={charge} />
        </>
      )}
    </>
  );
}

/** The order that a visitor came with, above the log-in and sign-up forms that lead to it. */
export function OrderOnTheWay({ order }: { order: PlannedOrder | null }) {
  if (!order) return null;
  return (
    <p className="mb-6 rounded-md border border-line bg-raised px-4 py-3 text-sm">
      <span className="block text-muted">Your order</span>
      <b className="tabular font-medium">
        <PlannedOrderLine order={order} />
      </b>
    </p>
  );
}
