import { useFetcher } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** The low-balance threshold. `below` is in micro-units; null means no notice. */
export function LowBalanceForm({ below, submitted }: { below: number | null; submitted: FormResult | null }) {
  const sender = useFetcher<FormResult>();
  return (
    <ActionForm intent="low-balance" sender={sender} result={sender.data ?? submitted}>
      <FormField
        name="below"
        label="Notify me when my balance is below"
        help="We show a notice in the dashboard and send balance.low to your webhooks. Leave empty for no notice."
        initial={below === null ? "" : decimal(below, 2)}
      >
        {(control, value) => (
          <div className="flex gap-2">
            <Input
              {...control}
              key={value}
              inputMode="decimal"
              autoComplete="off"
              defaultValue={value}
              placeholder="10.00"
              className="max-w-44"
            />
            <SubmitButton variant="secondary" className="sm:h-10">
              Save
            </SubmitButton>
          </div>
        )}
      </FormField>
    </ActionForm>
  );
}
