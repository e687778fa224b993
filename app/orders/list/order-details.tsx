import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ProgressLine } from "#app/components/ui/mark.tsx";
import { daysText } from "#app/orders/delivery/days-text.ts";
import { PriceRuleText } from "#app/orders/prices/price-rule-text.tsx";
import { ORDER_FIELD_NAMES, type OrderFieldName, orderField } from "#app/orders/rules/order-input.ts";
import { isOpen, queueText } from "#app/orders/rules/order-status.ts";
import type { OrderDetail } from "./order-rows.server.ts";
import { OrderLink } from "./order-table.tsx";
import { OrderTiming, RefillDeadline } from "./order-timing.tsx";

/** Fields with rows of their own. The order's other fields follow them. */
const OWN_LINES: OrderFieldName[] = ["link", "quantity", "runs", "interval"];
const OTHER_FIELDS = ORDER_FIELD_NAMES.filter((name) => !OWN_LINES.includes(name));

/** One order: its service, progress, charge, fields and refills. */
export function OrderDetails({ order }: { order: OrderDetail }) {
  const { number } = useFormats();
  const total = order.quantity * order.runs;
  const request = queueText(order);
  return (
    <dl className="mt-6 overflow-clip rounded-md border border-line bg-raised text-sm">
      <Line label="Service">
        {order.service} <span className="text-muted">({order.serviceId})</span>
      </Line>
      {order.link !== "" && (
        <Line label="Link">
          <OrderLink link={order.link} />
        </Line>
      )}
      <Line label="Delivered">
        <span className="flex items-center gap-3">
          <span className="tabular">
            {number(total - order.remains)} of {number(total)}
          </span>
          <ProgressLine done={total - order.remains} total={total} label={`Progress of order ${order.id}`} />
        </span>
      </Line>
      {order.runs > 1 && (
        <Line label="Drip-feed">
          {number(order.quantity)} per run, {order.runs} runs
          {order.intervalMinutes ? `, every ${order.intervalMinutes} minutes` : ""}
        </Line>
      )}
      <Line label="Start count">{order.startCount === null ? "Not available yet" : number(order.startCount)}</Line>
      <Line label="Charge">
        <Money micro={order.charge} />
        {order.priceRule && (
          <span className="block text-muted">
            <PriceRuleText rule={order.priceRule} usual={order.charge + order.discount} />
          </span>
        )}
      </Line>
      {order.refunded > 0 && (
        <Line label="Refunded">
          <Money micro={order.refunded} />
        </Line>
      )}
      {OTHER_FIELDS.map((name) => {
        const value = order.fields[name];
        return (
          value !== undefined && (
            <Line key={name} label={orderField(name).label}>
              <span className="max-h-60 overflow-y-auto break-words whitespace-pre-line">
                {shownValue(name, value)}
              </span>
            </Line>
          )
        );
      })}
      <Line label="Placed">
        <span>
          <RelativeDate at={order.createdAt} /> {order.source === "api" ? "through the API" : "on this site"}
        </span>
      </Line>
      {isOpen(order) && order.expectedBy !== null && (
        <Line label="Delivery">
          <OrderTiming order={order} inFull />
        </Line>
      )}
      {order.refillDays !== null && (
        <Line label="Refill">
          {order.refillUntil === null ? (
            `For ${daysText(order.refillDays)} from its end`
          ) : (
            <RefillDeadline order={order} />
          )}
        </Line>
      )}
      {order.reference !== null && (
        <Line label="Reference">
          <span className="break-words">{order.reference}</span>
        </Line>
      )}
      {request && <Line label="Request">{request}</Line>}
      {order.refills.map((refill) => (
        <Line key={refill.id} label={`Refill ${refill.id}`}>
          <span>
            {refill.status}, requested <RelativeDate at={refill.createdAt} />
          </span>
        </Line>
      ))}
    </dl>
  );
}

/** Returns the name of a choice for its number, and other values unchanged. */
function shownValue(name: OrderFieldName, value: string): string {
  return orderField(name).choices?.[Number(value) - 1] ?? value;
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid min-h-11 items-center gap-x-4 border-b border-line px-4 py-2 last:border-b-0 sm:grid-cols-[200px_1fr] sm:px-5">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
