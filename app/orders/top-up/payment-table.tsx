import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listOwnPayments } from "./checkout.server.ts";
import { PaymentState } from "./payment-state.tsx";

type Payment = Awaited<ReturnType<typeof listOwnPayments>>[number];

/** A customer's own card payments. */
export function PaymentTable({ payments }: { payments: Payment[] }) {
  const { money } = useFormats();
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
          <Td numeric>{money(payment.paid ?? payment.amount)}</Td>
        </tr>
      ))}
    </Table>
  );
}
