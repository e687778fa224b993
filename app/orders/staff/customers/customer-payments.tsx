import { Link } from "@remix-run/react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { PaymentState } from "#app/orders/top-up/payment-state.tsx";
import type { StaffCustomer } from "./customer-admin.server.ts";

export function CustomerPayments({ payments }: { payments: StaffCustomer["payments"] }) {
  return (
    <Table
      label="Card payments"
      head={
        <>
          <Th>Started</Th>
          <Th>Status</Th>
          <Th numeric>Amount</Th>
          <Th numeric>Paid</Th>
          <Th>Stripe session</Th>
        </>
      }
    >
      {payments.map((payment) => (
        <tr key={payment.id}>
          <Td>
            <Link
              to={`/admin/payments/${payment.id}`}
              className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
            >
              <RelativeDate at={payment.createdAt} />
            </Link>
          </Td>
          <Td>
            <PaymentState payment={payment} />
          </Td>
          <Td numeric>
            <Money micro={payment.amount} />
          </Td>
          <Td numeric>{payment.paid === null ? "—" : <Money micro={payment.paid} />}</Td>
          <Td className="font-mono text-xs">{payment.sessionId ?? "—"}</Td>
        </tr>
      ))}
    </Table>
  );
}
