import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { FulfillmentState, OrderStatus } from "#app/db/schema.server.ts";
import { ChargeCell } from "#app/orders/list/charge-cell.tsx";
import { OrderState } from "./order-state.tsx";

export type StaffOrderRow = {
  id: number;
  email: string | null;
  service: string;
  provider: string | null;
  quantity: number;
  runs: number;
  remains: number;
  status: OrderStatus;
  fulfillment: FulfillmentState;
  charge: number;
  refunded: number;
  createdAt: number;
};

export function StaffOrderTable({ orders }: { orders: StaffOrderRow[] }) {
  const { number } = useFormats();
  return (
    <Table
      label="Orders"
      head={
        <>
          <Th numeric>Order</Th>
          <Th>Status</Th>
          <Th>Customer</Th>
          <Th>Service</Th>
          <Th>Provider</Th>
          <Th numeric>Remains</Th>
          <Th numeric>Charge</Th>
          <Th>Placed</Th>
        </>
      }
    >
      {orders.map((order) => (
        <tr key={order.id}>
          <Td numeric>
            <Link
              to={`/admin/orders/${order.id}`}
              className="inline-flex h-11 items-center font-mono underline underline-offset-4 sm:h-10"
            >
              {order.id}
            </Link>
          </Td>
          <Td>
            <OrderState status={order.status} fulfillment={order.fulfillment} />
          </Td>
          <Td>
            <span className="block max-w-44 truncate" title={order.email ?? undefined}>
              {order.email ?? <span className="text-muted">Deleted account</span>}
            </span>
          </Td>
          <Td>
            <span className="block max-w-56 truncate" title={order.service}>
              {order.service}
            </span>
          </Td>
          <Td className="whitespace-nowrap">{order.provider ?? <span className="text-muted">Manual</span>}</Td>
          <Td numeric>
            {number(order.remains)}
            <span className="text-muted"> / {number(order.quantity * order.runs)}</span>
          </Td>
          <ChargeCell charge={order.charge} refunded={order.refunded} />
          <Td className="text-muted">
            <RelativeDate at={order.createdAt} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
