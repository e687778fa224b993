import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";

export function RefillForm({
  refill: { id: refillId, status },
  result,
}: {
  refill: { id: number; status: string };
  result: FormResult | null;
}) {
  // Each refill of the order has a form with this intent.
  const own = result?.values?.refill === String(refillId) ? result : null;
  return (
    <ActionForm
      asksIdentity
      intent="refill"
      id={`refill-${refillId}`}
      result={own}
      hidden={{ refill: refillId, from: status }}
    >
      <FormField name="status" label={`Refill ${refillId}`} initial="In progress">
        {(control, value) => (
          <Select {...control} defaultValue={value}>
            <option value="In progress">In progress (manual)</option>
            <option>Completed</option>
            <option>Rejected</option>
          </Select>
        )}
      </FormField>
      <ReasonField />
      <div>
        <SubmitButton variant="secondary">Update refill {refillId}</SubmitButton>
      </div>
    </ActionForm>
  );
}
