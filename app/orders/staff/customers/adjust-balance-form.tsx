import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField } from "#app/orders/staff/reason-field.tsx";
import { CURRENCY } from "#app/product.ts";

/** Credits or debits a customer. `once` is the key that makes the form take effect once. */
export function AdjustBalanceForm({ once, result }: { once: string; result: FormResult | null }) {
  return (
    <ActionForm key={once} asksIdentity intent="adjust" result={result} hidden={{ once }}>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="direction" label="Type" initial="topup">
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="topup">Top-up: payment received</option>
              <option value="credit">Credit: correction or goodwill</option>
              <option value="debit">Debit: reduce the balance</option>
            </Select>
          )}
        </FormField>
        <FormField name="amount" label={`Amount in ${CURRENCY}`} inputMode="decimal" />
      </div>
      <ReasonField help="Shown to the customer in their transactions and saved in the audit log." />
      <div>
        <SubmitButton>Adjust balance</SubmitButton>
      </div>
    </ActionForm>
  );
}
