import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Detail, Details } from "#app/console/detail-list.tsx";
import { PaymentState, receivedText } from "#app/orders/top-up/payment-state.tsx";
import type { StaffPayment } from "./payment-admin.server.ts";

export function PaymentDetails({ payment, email }: Pick<StaffPayment, "payment" | "email">) {
  const formats = useFormats();
  return (
    <Details>
      <Detail name="Customer">
        {email === null ? (
          "Deleted account"
        ) : (
          <Link to={`/admin/customers/${payment.userId}`} className="break-all underline underline-offset-4">
            {email}
          </Link>
        )}
      </Detail>
      <Detail name="Status">
        <PaymentState payment={payment} />
      </Detail>
      <Detail name="Amount">
        <Money micro={payment.amount} />
      </Detail>
      <Detail name="Received">{receivedText(payment, formats)}</Detail>
      <Detail name="Credited">{payment.paid === null ? "—" : <Money micro={payment.paid} />}</Detail>
      <Detail name="Started">
        <RelativeDate at={payment.createdAt} />
      </Detail>
      <Detail name="Stripe session">
        <code className="font-mono text-xs break-all">{payment.sessionId ?? "—"}</code>
      </Detail>
      <Detail name="Stripe payment">
        <code className="font-mono text-xs break-all">{payment.paymentIntent ?? "—"}</code>
      </Detail>
    </Details>
  );
}
