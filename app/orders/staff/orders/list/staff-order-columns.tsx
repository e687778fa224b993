import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { ChargeAmount } from "#app/orders/list/charge-cell.tsx";
import { OrderState } from "#app/orders/staff/orders/order-state.tsx";
import type { StaffOrderRow } from "./staff-order-page.server.ts";

export function staffOrderColumns({ number }: Formats): Column<StaffOrderRow>[] {
  return [
    {
      name: "order",
      header: "Order",
      className: "font-mono",
      cell: ({ id }) => <RowLink to={`/admin/orders/${id}`}>{id}</RowLink>,
    },
    { name: "status", header: "Status", cell: (order) => <OrderState {...order} /> },
    {
      name: "customer",
      header: "Customer",
      cell: ({ email }) =>
        email === null ? (
          <span className="text-muted">Deleted account</span>
        ) : (
          <CutText className="max-w-40">{email}</CutText>
        ),
    },
    { name: "service", header: "Service", cell: ({ service }) => <CutText className="max-w-48">{service}</CutText> },
    {
      name: "provider",
      header: "Provider",
      className: "whitespace-nowrap",
      cell: ({ provider }) => provider ?? <span className="text-muted">Manual</span>,
    },
    {
      name: "remains",
      header: "Remains",
      numeric: true,
      cell: ({ remains, quantity, runs }) => (
        <>
          {number(remains)}
          <span className="text-muted"> / {number(quantity * runs)}</span>
        </>
      ),
    },
    { name: "charge", header: "Charge", numeric: true, cell: (order) => <ChargeAmount {...order} /> },
    {
      name: "created",
      header: "Placed",
      sort: "created",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
  ];
}
