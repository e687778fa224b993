import { Money } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { holdReasonName } from "#app/console/orders/hold-reasons.ts";
import { OrderState } from "#app/console/orders/order-state.tsx";
import { ChargeAmount } from "#app/orders/list/charge-cell.tsx";
import type { StaffOrderRow } from "./staff-order-page.server.ts";

/** A row as the list shows it. What the order costs is only there for admins. */
export type ShownOrder = Omit<StaffOrderRow, "cost"> & { cost?: number | null };

export function staffOrderColumns({ number }: Formats, { withCosts }: { withCosts: boolean }): Column<ShownOrder>[] {
  return [
    {
      name: "order",
      header: "Order",
      inCard: "text",
      className: "font-mono",
      cell: ({ id }) => <RowLink to={`/admin/orders/${id}`}>{id}</RowLink>,
    },
    {
      name: "status",
      header: "Status",
      inCard: "text",
      className: "py-1.5",
      cell: (order) => <OrderStateWithReason {...order} />,
    },
    {
      name: "customer",
      header: "Customer",
      inCard: "line",
      cell: ({ email }) =>
        email === null ? (
          <span className="text-muted">Deleted account</span>
        ) : (
          <CutText className="max-w-40 2xl:max-w-52">{email}</CutText>
        ),
    },
    {
      name: "service",
      header: "Service",
      inCard: "line",
      cell: ({ service }) => <CutText className="max-w-44 2xl:max-w-72">{service}</CutText>,
    },
    {
      name: "provider",
      header: "Provider",
      inCard: "text",
      cell: ({ provider }) =>
        provider === null ? (
          <span className="text-muted">Manual</span>
        ) : (
          <CutText className="max-w-24 2xl:max-w-40">{provider}</CutText>
        ),
    },
    {
      name: "remains",
      header: "Remains",
      numeric: true,
      inCard: "figure",
      cell: ({ remains, quantity, runs }) => (
        <>
          {number(remains)}
          <span className="text-muted"> / {number(quantity * runs)}</span>
        </>
      ),
    },
    {
      name: "charge",
      header: "Charge",
      numeric: true,
      inCard: "figure",
      cell: (order) => <ChargeAmount {...order} />,
    },
    ...(withCosts ? COST_COLUMNS : []),
    {
      name: "created",
      header: "Placed",
      sort: "created",
      inCard: "text",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
  ];
}

const COST_COLUMNS: Column<ShownOrder>[] = [
  { name: "cost", header: "Cost", numeric: true, inCard: "figure", cell: ({ cost = null }) => <Known micro={cost} /> },
  {
    name: "margin",
    header: "Margin",
    numeric: true,
    inCard: "figure",
    cell: ({ charge, refunded, cost = null }) => <Known micro={cost === null ? null : charge - refunded - cost} />,
  },
];

function Known({ micro }: { micro: number | null }) {
  return micro === null ? <span className="text-muted">—</span> : <Money micro={micro} />;
}

function OrderStateWithReason({ heldFor, ...order }: ShownOrder) {
  return (
    <>
      {order.fulfillment === "held" ? <Badge tone="warn">Held</Badge> : <OrderState {...order} />}
      {heldFor !== null && (
        <span className="block text-xs whitespace-nowrap text-muted max-md:ml-2 max-md:inline">
          {holdReasonName(heldFor)}
        </span>
      )}
    </>
  );
}
