import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField, StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";

export const ADJUST_INTENT = "adjust";

/** Credits or debits a customer. `once` is the key that makes the form take effect once. */
export function AdjustBalanceForm({ once, result }: { once: string; result: StaffFormResult }) {
  const typed = result?.values;
  return (
    <StaffForm key={once} intent={ADJUST_INTENT} result={result} button="Adjust balance" hidden={{ once }}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field id="move-direction" label="Type">
          {(control) => (
            <Select {...control} name="direction" defaultValue={typed?.direction ?? "topup"}>
              <option value="topup">Top-up: payment received</option>
              <option value="credit">Credit: correction or goodwill</option>
              <option value="debit">Debit: reduce the balance</option>
            </Select>
          )}
        </Field>
        <StaffField
          result={result}
          intent={ADJUST_INTENT}
          name="amount"
          label={`Amount in ${CURRENCY}`}
          inputMode="decimal"
        />
      </div>
      <ReasonField
        result={result}
        intent={ADJUST_INTENT}
        help="Shown to the customer in their transactions and saved in the audit log."
      />
    </StaffForm>
  );
}
