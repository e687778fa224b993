import { Link } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import { CURRENCY } from "#app/product.ts";
import type { AdjustmentToUndo } from "./adjustment-undo.server.ts";

const INTENT = "adjust";

/**
 * Credits or debits a customer. `once` is the key that makes the form take effect once; that of a `result` goes before it, of
 * which nobody knows whether it did. `undo`: the entry that it undoes, with the opposite of it.
 */
export function AdjustBalanceForm({
  once,
  undo = null,
  result,
}: {
  once: string;
  undo?: AdjustmentToUndo | null;
  result: FormResult | null;
}) {
  const key = (result?.intent === INTENT && result.values?.once) || once;
  const hidden = { once: key, ...(undo && { undoes: undo.entryId }) };
  return (
    <ActionForm key={key} asksIdentity intent={INTENT} result={result} hidden={hidden}>
      {undo && (
        <p className="text-sm text-muted">
          This undoes{" "}
          <Link to={`/admin/audit/${undo.entryId}`} className="underline underline-offset-4">
            entry {undo.entryId}
          </Link>
          , so its type and amount stay as they are. Check the reason.
        </p>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="direction" label="Type" initial={undo?.direction ?? "topup"}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="topup">Top-up: payment received</option>
              <option value="credit">Credit: correction or goodwill</option>
              <option value="debit">Debit: reduce the balance</option>
            </Select>
          )}
        </FormField>
        <FormField name="amount" label={`Amount in ${CURRENCY}`} initial={undo?.amountText ?? ""} inputMode="decimal" />
      </div>
      <ReasonField
        help="Shown to the customer in their transactions and saved in the audit log."
        initial={undo?.reason ?? ""}
      />
      <div>
        <SubmitButton>Adjust balance</SubmitButton>
      </div>
    </ActionForm>
  );
}
