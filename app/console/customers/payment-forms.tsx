import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import { decimal } from "#app/orders/rules/money-text.ts";
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
  result: FormResult | null;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Card title="Credit" titleId="accept">
        <ActionForm key={once} asksIdentity intent="accept" result={result} hidden={{ once }}>
          <FormField
            name="amount"
            label={`Amount in ${CURRENCY}`}
            inputMode="decimal"
            initial={decimal(payment.amount, 2)}
            help="Check in Stripe how much reached your account."
          />
          <ReasonField />
          <div>
            <SubmitButton>Credit payment</SubmitButton>
          </div>
        </ActionForm>
      </Card>
      <Card title="Don't credit" titleId="refuse">
        <ActionForm key={once} asksIdentity intent="refuse" result={result} hidden={{ once }}>
          <p className="text-sm text-muted">This doesn't refund the payment. Refund it in Stripe.</p>
          <ReasonField />
          <div>
            <SubmitButton variant="danger">Refuse payment</SubmitButton>
          </div>
        </ActionForm>
      </Card>
    </div>
  );
}
