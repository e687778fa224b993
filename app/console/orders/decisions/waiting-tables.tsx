import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { WaitingCancellation, WaitingRefill } from "./refill-cancellation-queue.server.ts";

type Request = { orderId: number; service: string; createdAt: number };

const ORDER: Column<Request> = {
  name: "order",
  header: "Order",
  sort: "order",
  className: "font-mono",
  cell: ({ orderId }) => <RowLink to={`/admin/orders/${orderId}`}>{orderId}</RowLink>,
};
const SERVICE: Column<Request> = {
  name: "service",
  header: "Service",
  cell: ({ service }) => <CutText className="max-w-80">{service}</CutText>,
};
const REQUESTED: Column<Request> = {
  name: "created",
  header: "Requested",
  className: "text-muted",
  cell: ({ createdAt }) => <TimeCell at={createdAt} />,
};

/** The columns of cancellations that wait for a decision. */
export function cancellationColumns({ number }: Formats): Column<WaitingCancellation>[] {
  return [
    ORDER,
    SERVICE,
    { name: "status", header: "Status", cell: ({ orderStatus }) => <Badge>{orderStatus}</Badge> },
    {
      name: "remains",
      header: "Remains",
      numeric: true,
      cell: ({ remains, quantity, runs }) => `${number(remains)} / ${number(quantity * runs)}`,
    },
    REQUESTED,
  ];
}

/** The columns of refills that wait for a decision. */
export const REFILL_COLUMNS: Column<WaitingRefill>[] = [
  ORDER,
  { name: "refill", header: "Refill", className: "font-mono", cell: ({ id }) => id },
  SERVICE,
  {
    name: "status",
    header: "Status",
    cell: ({ fulfillment, status }) => (
      <Badge tone={fulfillment === "held" ? "warn" : "neutral"}>{fulfillment === "held" ? "Held" : status}</Badge>
    ),
  },
  REQUESTED,
];
