import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { availableActions, queueText } from "#app/orders/rules/order-status.ts";
import { ChargeCell } from "./charge-cell.tsx";
import { OrderActions, OrderNumber } from "./order-actions.tsx";
import type { OrderRow } from "./order-rows.server.ts";
import { OrderTiming, RefillDeadline } from "./order-timing.tsx";
import { useLiveOrders } from "./use-live-orders.ts";

/** A list of orders with live progress. For an empty list, the page shows its own message. */
export function OrderTable({ orders, label }: { orders: OrderRow[]; label: string }) {
  return <OrderRows orders={useLiveOrders(orders)} label={label} />;
}

/** A table of orders as they are; a card for each where the window is too narrow for the table. */
export function OrderRows({ orders, label }: { orders: OrderRow[]; label: string }) {
  return (
    <Table
      label={label}
      cards
      head={
        <>
          <Th numeric>Order</Th>
          <Th>Status</Th>
          <Th>Service</Th>
          <Th>Link</Th>
          <Th numeric>Delivered</Th>
          <Th numeric>Charge</Th>
          <Th>Placed</Th>
          <Th className="print:hidden">
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {orders.map((order) => (
        <Row key={order.id} order={order} />
      ))}
    </Table>
  );
}

/** The order of the cells is that of the areas in `row-cards`. */
function Row({ order }: { order: OrderRow }) {
  const { number } = useFormats();
  const total = order.quantity * order.runs;
  const done = total - order.remains;
  const request = queueText(order);
  return (
    <tr>
      <Td numeric>
        <OrderNumber id={order.id} />
      </Td>
      <Td>
        <Badge tone={ORDER_STATUS_TONES[order.status]}>{order.status}</Badge>
        {request && <span className="block py-0.5 text-xs whitespace-nowrap text-muted">{request}</span>}
        <OrderTiming order={order} className="py-0.5 text-xs whitespace-nowrap text-muted" />
        {availableActions(order).refill && order.refillUntil !== null && (
          <span className="block py-0.5 text-xs whitespace-nowrap text-muted">
            <RefillDeadline order={order} />
          </span>
        )}
      </Td>
      <Td className="min-w-44 py-2">{order.service}</Td>
      <Td>{order.link !== "" && <OrderLink link={order.link} className="lg:max-w-40" />}</Td>
      <Td numeric>
        {number(done)} <span className="text-muted">/ {number(total)}</span>
      </Td>
      <ChargeCell charge={order.charge} refunded={order.refunded} />
      <Td className="text-muted">
        <RelativeDate at={order.createdAt} />
      </Td>
      <Td className="print:hidden">
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
