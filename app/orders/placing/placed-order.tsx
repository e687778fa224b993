import { useEffect, useRef } from "react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import type { OrderRow } from "#app/orders/list/order-rows.server.ts";
import { PriceRuleText } from "#app/orders/prices/price-rule-text.tsx";
import { LazyPushOffer } from "#app/push/client/lazy-push-offer.tsx";
import type { OrderResult } from "./order-result.ts";

/** The order that was just placed, in place of its receipt, with its status as it changes. */
export function PlacedOrder({
  result: { orderId, charge, lowered, replayed },
  order,
  balance,
  onNew,
}: {
  result: Extract<OrderResult, { ok: true }>;
  /** The order as it is now, unless it is too old for the page's list. */
  order: Pick<OrderRow, "status"> | undefined;
  /** Micro-units. */
  balance: number;
  onNew: () => void;
}) {
  const status = order?.status ?? null;
  const panel = useRef<HTMLDivElement>(null);
  // On a phone the panel may be far from the button that was pressed, which is gone.
  useEffect(() => panel.current?.focus(), []);
  return (
    <div
      ref={panel}
      tabIndex={-1}
      className="flex flex-col gap-4 border-line bg-sunken p-5 outline-none max-lg:order-first max-lg:border-b sm:p-6 lg:border-l"
    >
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-2 text-lg">
        <span>
          Order <span className="font-mono">{orderId}</span>
        </span>
        {status !== null && (
          <span role="status" className="flex items-center gap-1.5 text-xs font-normal text-muted">
            {status !== "Pending" && (
              <>
                Pending<span aria-hidden> →</span>
              </>
            )}
            <Badge tone={ORDER_STATUS_TONES[status]}>{status}</Badge>
          </span>
        )}
      </h3>
      <p className="text-sm">
        {replayed ? (
          `Order ${orderId} was already placed. You weren't charged again.`
        ) : (
          <>
            {`Order ${orderId} placed.`} Charged <Money micro={charge} />.
          </>
        )}{" "}
        Balance: <Money micro={balance} />
      </p>
      {lowered && (
        <p className="-mt-2 text-sm text-muted">
          <PriceRuleText rule={lowered} usual={lowered.usual} />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={`/dashboard/orders/${orderId}`} variant="secondary">
          View order
        </ButtonLink>
        <Button onClick={onNew} className="noscript:hidden">
          New order
        </Button>
      </div>
      <LazyPushOffer about="order" />
    </div>
  );
}
