import { Money } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { PaymentState, receivedText } from "#app/orders/top-up/payment-state.tsx";
import type { PaymentRow } from "./payment-list.server.ts";

/** The columns of everybody's payments. Each row opens by its customer. */
export function paymentColumns(formats: Formats): Column<PaymentRow>[] {
  return [
    {
      name: "customer",
      header: "Customer",
      cell: ({ id, email }) => (
        <RowLink to={`/admin/payments/${id}`} title={email ?? undefined}>
          {email ?? "Deleted account"}
        </RowLink>
      ),
    },
    {
      name: "created",
      header: "Started",
      sort: "created",
      inCard: "text",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
    ...columnsOfMoney(formats),
  ];
}

/** The columns of one customer's payments. Each row opens by its time. */
export function ownPaymentColumns(formats: Formats): Column<PaymentRow>[] {
  return [
    {
      name: "created",
      header: "Started",
      sort: "created",
      cell: ({ id, createdAt }) => (
        <RowLink to={`/admin/payments/${id}`}>
          <TimeCell at={createdAt} />
        </RowLink>
      ),
    },
    ...columnsOfMoney(formats),
  ];
}

function columnsOfMoney(formats: Formats): Column<PaymentRow>[] {
  return [
    { name: "status", header: "Status", inCard: "text", cell: (payment) => <PaymentState payment={payment} /> },
    {
      name: "amount",
      header: "Amount",
      inCard: "figure",
      numeric: true,
      cell: ({ amount }) => <Money micro={amount} />,
    },
    {
      name: "received",
      header: "Received",
      inCard: "figure",
      numeric: true,
      cell: (payment) => receivedText(payment, formats),
    },
    {
      name: "credited",
      header: "Credited",
      inCard: "figure",
      numeric: true,
      cell: ({ paid }) => paid !== null && <Money micro={paid} />,
    },
  ];
}
