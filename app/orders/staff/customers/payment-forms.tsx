import { Card } from "#app/components/ui/card.tsx";
import { decimal } from "#app/orders/rules/money.ts";
import { ReasonField, StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";
import type { StaffPayment } from "./payment-admin.server.ts";

/** The forms that credit or refuse a payment in review. `once` is the key that makes either take effect once. */
export function PaymentForms({
  payment,
  once,
  result,
}: {
  payment: StaffPayment["payment"];
  once: string;
  result: StaffFormResult;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Card title="Credit" titleId="accept">
        <StaffForm key={once} intent="accept" result={result} button="Credit payment" hidden={{ once }}>
          <StaffField
            result={result}
            intent="accept"
            name="amount"
            label={`Amount in ${CURRENCY}`}
            inputMode="decimal"
            initial={decimal(payment.amount, 2)}
            help="Check in Stripe how much reached your account."
          />
          <ReasonField result={result} intent="accept" />
        </StaffForm>
      </Card>
      <Card title="Don’t credit" titleId="refuse">
        <StaffForm
          key={once}
          intent="refuse"
          result={result}
          button="Refuse payment"
          variant="danger"
          hidden={{ once }}
        >
          <p className="text-sm text-muted">This doesn’t refund the payment. Refund it in Stripe.</p>
          <ReasonField result={result} intent="refuse" />
        </StaffForm>
      </Card>
    </div>
  );
}
