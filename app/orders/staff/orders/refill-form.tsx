import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";

export function RefillForm({ refillId, result }: { refillId: number; result: StaffFormResult }) {
  const own = result?.values?.refill === String(refillId) ? result : null;
  return (
    <StaffForm
      intent="refill"
      result={own}
      button={`Update refill ${refillId}`}
      variant="secondary"
      hidden={{ refill: refillId }}
    >
      <Field id={`refill-${refillId}-status`} label={`Refill ${refillId}`}>
        {(control) => (
          <Select {...control} name="status" defaultValue={own?.values?.status ?? "In progress"}>
            <option value="In progress">In progress (manual)</option>
            <option>Completed</option>
            <option>Rejected</option>
          </Select>
        )}
      </Field>
      <ReasonField result={own} intent="refill" />
    </StaffForm>
  );
}
