import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { ProgressLine } from "#app/components/ui/mark.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { availableRequests, requestText } from "#app/orders/rules/order-status.ts";
import { ChargeCell } from "./charge-cell.tsx";
import { OrderActions, OrderNumber } from "./order-actions.tsx";
import type { OrderRow } from "./order-rows.server.ts";
import { OrderTiming, RefillDeadline } from "./order-timing.tsx";
import { useLiveOrders } from "./use-live-orders.ts";

/** A table of orders with live progress. For an empty list, the page shows its own message. */
export function OrderTable({ orders, label }: { orders: OrderRow[]; label: string }) {
  const rows = useLiveOrders(orders);
  return (
    <Table
      label={label}
      head={
        <>
          <Th numeric>Order</Th>
          <Th>Status</Th>
          <Th>Service</Th>
          <Th>Progress</Th>
          <Th numeric>Delivered</Th>
          <Th numeric>Charge</Th>
          <Th>Link</Th>
          <Th>Placed</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {rows.map((order) => (
        <Row key={order.id} order={order} />
      ))}
    </Table>
  );
}

function Row({ order }: { order: OrderRow }) {
  const { number } = useFormats();
  const total = order.quantity * order.runs;
  const done = total - order.remains;
  const request = requestText(order);
  return (
    <tr>
      <Td numeric>
        <OrderNumber id={order.id} />
      </Td>
      <Td>
        <Badge tone={ORDER_STATUS_TONES[order.status]}>{order.status}</Badge>
        {request && <span className="block py-0.5 text-xs whitespace-nowrap text-muted">{request}</span>}
        <OrderTiming order={order} className="py-0.5 text-xs whitespace-nowrap text-muted" />
        {availableRequests(order).refill && order.refillUntil !== null && (
          <span className="block py-0.5 text-xs whitespace-nowrap text-muted">
            <RefillDeadline order={order} />
          </span>
        )}
      </Td>
      <Td>
        <span className="block max-w-40 truncate" title={order.service}>
          {order.service}
        </span>
        {/* A phone shows no further column until the table is scrolled. */}
        <span aria-hidden className="tabular block pb-1 text-xs whitespace-nowrap text-muted sm:hidden">
          {number(done)} / {number(total)} · <Money micro={order.charge} />
        </span>
      </Td>
      <Td>
        <ProgressLine done={done} total={total} label={`Progress of order ${order.id}`} />
      </Td>
      <Td numeric>
        {number(done)} <span className="text-muted">/ {number(total)}</span>
      </Td>
      <ChargeCell charge={order.charge} refunded={order.refunded} />
      <Td>{order.link !== "" && <OrderLink link={order.link} className="max-w-28" />}</Td>
      <Td className="text-muted">
        <RelativeDate at={order.createdAt} />
      </Td>
      <Td>
        <OrderActions order={order} compact />
      </Td>
    </tr>
  );
}

export function OrderLink({ link, className = "" }: { link: string; className?: string }) {
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={link}
      className={`block truncate leading-11 text-muted hover:text-text hover:underline sm:leading-10 ${className}`}
    >
      {link.replace(/^https?:\/\/(www\.)?/, "")}
    </a>
  );
}
