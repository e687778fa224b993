import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { receivedText } from "#app/orders/top-up/payment-state.tsx";
import type { StaffPayment } from "./payment-admin.server.ts";

/** Refunds and disputes of a payment, as Stripe reported them. */
export function PaymentReversals({ payment, reversals }: Pick<StaffPayment, "payment" | "reversals">) {
  const formats = useFormats();
  return (
    <Table
      label="Refunds and disputes"
      head={
        <>
          <Th>Type</Th>
          <Th>Status</Th>
          <Th numeric>Amount</Th>
          <Th>Updated</Th>
          <Th>Stripe ID</Th>
        </>
      }
    >
      {reversals.map((row) => (
        <tr key={row.id}>
          <Td>{row.kind === "dispute" ? "Dispute" : "Refund"}</Td>
          <Td>
            <Badge tone={row.inEffect ? "bad" : "neutral"}>{row.status.replaceAll("_", " ")}</Badge>
          </Td>
          <Td numeric>{receivedText({ received: row.amount, receivedCurrency: payment.receivedCurrency }, formats)}</Td>
          <Td className="text-muted">
            <RelativeDate at={row.eventAt} />
          </Td>
          <Td className="font-mono text-xs">{row.id}</Td>
        </tr>
      ))}
    </Table>
  );
}
