import Package from "lucide-react/icons/package";
import { Badge, type Tone } from "#app/components/badge.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import { ProgressLine } from "#app/components/mark.tsx";
import { Money } from "#app/components/money.tsx";
import { Table, Td, Th } from "#app/components/table.tsx";
import { CURRENCY } from "#app/product.ts";
import { formatMoney } from "./money.ts";
import type { Order } from "./orders.server.ts";

export type OrderRow = Pick<
  Order,
  "id" | "link" | "quantity" | "runs" | "remains" | "status" | "charge" | "refunded" | "createdAt"
> & { service: string };

const TONES: Record<Order["status"], Tone> = {
  Pending: "neutral",
  Processing: "active",
  "In progress": "active",
  Completed: "good",
  Partial: "warn",
  Canceled: "bad",
};

export function isOpen(order: Pick<OrderRow, "status">): boolean {
  return order.status === "Pending" || order.status === "Processing" || order.status === "In progress";
}

export function OrderTable({ orders }: { orders: OrderRow[] }) {
  if (orders.length === 0) {
    return (
      <EmptyState icon={Package} title="No orders yet">
        What you order here or through the API is listed with its progress. Place the first one with the form above.
      </EmptyState>
    );
  }
  return (
    <Table
      label="Recent orders"
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
        </>
      }
    >
      {orders.map((order) => (
        <Row key={order.id} order={order} />
      ))}
    </Table>
  );
}

function Row({ order }: { order: OrderRow }) {
  const total = order.quantity * order.runs;
  const done = total - order.remains;
  return (
    <tr>
      <Td numeric className="font-mono">
        {order.id}
      </Td>
      <Td>
        <Badge tone={TONES[order.status]}>{order.status}</Badge>
      </Td>
      <Td>
        <span className="block max-w-40 truncate sm:max-w-56" title={order.service}>
          {order.service}
        </span>
      </Td>
      <Td>
        <ProgressLine done={done} total={total} label={`Progress of order ${order.id}`} />
      </Td>
      <Td numeric>
        {done.toLocaleString("en-US")} <span className="text-muted">/ {total.toLocaleString("en-US")}</span>
      </Td>
      <Td numeric>
        <Money text={formatMoney(order.charge, CURRENCY)} />
        {order.refunded > 0 && (
          <span className="block text-xs text-muted">{formatMoney(order.refunded, CURRENCY)} back</span>
        )}
      </Td>
      <Td>
        <a
          href={order.link}
          target="_blank"
          rel="noopener noreferrer nofollow"
          title={order.link}
          className="block max-w-44 truncate leading-11 text-muted sm:leading-10 hover:text-text hover:underline"
        >
          {order.link.replace(/^https?:\/\/(www\.)?/, "")}
        </a>
      </Td>
      <Td className="text-muted">
        <RelativeDate at={order.createdAt} />
      </Td>
    </tr>
  );
}
