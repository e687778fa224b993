import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { decimal, parseDecimal } from "#app/orders/rules/money.ts";
import { ReasonField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";
import type { DecidedOrder } from "./decided-order.ts";

export function RefundForm({ order, result }: { order: DecidedOrder; result: StaffFormResult }) {
  const { money } = useFormats();
  const [amount, setAmount] = useState(result?.values?.amount ?? decimal(order.charge, 2));
  const parsed = parseDecimal(amount);
  return (
    <StaffForm
      intent="refund"
      result={result}
      button={parsed ? `Refund ${money(parsed)}` : "Refund"}
      variant="danger"
      readFields={(fields) => setAmount(String(fields.get("amount") ?? amount))}
    >
      <Field
        id="refund-amount"
        label={`Amount in ${CURRENCY}`}
        help={`Up to the charge of ${money(order.charge)}. You can refund an order once; its status stays.`}
        error={result?.intent === "refund" ? result.fields?.amount : undefined}
      >
        {(control) => (
          <input
            {...control}
            name="amount"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            className="h-11 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-[16px] aria-invalid:border-bad sm:h-10 sm:text-sm"
          />
        )}
      </Field>
      <ReasonField
        result={result}
        intent="refund"
        help="Saved in the audit log and shown to the customer with the refund."
      />
    </StaffForm>
  );
}
