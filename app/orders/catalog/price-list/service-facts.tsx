import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { daysText } from "#app/orders/delivery/days-text.ts";
import type { DeliveryTimes } from "#app/orders/delivery/delivery-estimate.ts";
import { deliveryText, sampleText } from "#app/orders/delivery/delivery-time.ts";
import type { PriceLine } from "./price-list.server.ts";

export type TimedLine = PriceLine & { time: DeliveryTimes | null };

/** What an order of the service is like: limits, refill, cancellation, drip-feed and the measured delivery time. */
export function ServiceFacts({ service }: { service: TimedLine & { takes: string | null; byPosts: boolean } }) {
  const { number } = useFormats();
  const { perOrder, min, max, refill, refillDays, cancel, dripfeed, time, takes, byPosts } = service;
  return (
    <dl className="border-t border-line text-sm">
      <Fact label="Quantity">
        {perOrder ? "One package per order" : `${number(min)} to ${number(max)} per ${byPosts ? "post" : "order"}`}
      </Fact>
      {takes !== null && <Fact label="Link">Takes {takes}</Fact>}
      <Fact label="Delivery">
        {time
          ? `${deliveryText(time)}. ${sampleText(time, number)}. Measured, not promised.`
          : byPosts
            ? "Each new post is delivered on its own, so there is no time for the whole order."
            : "Not measured yet: too few orders have been completed."}
      </Fact>
      <Fact label="Refill">
        {refill
          ? `${refillDays === null ? "Yes" : `For ${daysText(refillDays)}`}. If the count drops after delivery, request a refill on the order's page: what dropped is replaced, free.`
          : "No. What drops after delivery isn't replaced."}
      </Fact>
      <Fact label="Cancel">
        {cancel
          ? "You can request it while the order is running. We refund what wasn't delivered."
          : "Not once the order has been sent. An order that fails is refunded all the same."}
      </Fact>
      <Fact label="Drip-feed">
        {dripfeed ? "Yes. Repeat the quantity at an interval you choose." : "No. The quantity is delivered once."}
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-1 border-b border-line py-3 sm:grid-cols-[9rem_1fr]">
      <dt className="text-muted">{label}</dt>
      <dd className="max-w-prose">{children}</dd>
    </div>
  );
}
