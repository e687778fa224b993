import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listOwnPayments } from "./checkout.server.ts";
import { PaymentState } from "./payment-state.tsx";

type Payment = Awaited<ReturnType<typeof listOwnPayments>>[number];

/** A customer's own card payments. */
export function PaymentTable({ payments }: { payments: Payment[] }) {
  return (
    <Table
      label="Card payments"
      head={
        <>
          <Th>Date</Th>
          <Th>Status</Th>
          <Th numeric>Amount</Th>
        </>
      }
    >
      {payments.map((payment) => (
        <tr key={payment.id}>
          <Td className="text-muted">
            <RelativeDate at={payment.createdAt} />
          </Td>
          <Td>
            <PaymentState payment={payment} />
          </Td>
          <Td numeric>
            <Money micro={payment.paid ?? payment.amount} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
