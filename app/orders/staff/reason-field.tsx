import { FormField } from "#app/components/forms/form-field.tsx";

/** The reason that staff give for what they change. */
export function ReasonField({ help = "Saved in the audit log. The customer doesn't see it." }: { help?: string }) {
  return <FormField name="reason" label="Reason" help={help} maxLength={300} />;
}
