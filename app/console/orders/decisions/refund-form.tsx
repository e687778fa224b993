import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ReasonField } from "#app/console/reason-field.tsx";
import { decimal, parseDecimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";
import type { DecidedOrder } from "./decided-order.ts";

export function RefundForm({ order, result }: { order: DecidedOrder; result: FormResult | null }) {
  const { money } = useFormats();
  const [amount, setAmount] = useState(result?.values?.amount ?? decimal(order.charge, 2));
  const parsed = parseDecimal(amount);
  return (
    <ActionForm
      asksIdentity
      intent="refund"
      result={result}
      readFields={(fields) => setAmount(String(fields.get("amount") ?? amount))}
    >
      <FormField
        name="amount"
        label={`Amount in ${CURRENCY}`}
        help={`Up to the charge of ${money(order.charge)}. You can refund an order once; its status stays.`}
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        inputMode="decimal"
      />
      <ReasonField help="Saved in the audit log and shown to the customer with the refund." />
      <div>
        <SubmitButton variant="danger">{parsed ? `Refund ${money(parsed)}` : "Refund"}</SubmitButton>
      </div>
    </ActionForm>
  );
}
