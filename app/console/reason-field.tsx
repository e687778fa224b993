import { FormField } from "#app/components/forms/form-field.tsx";

/** The reason that staff give for what they change. */
export function ReasonField({
  help = "Saved in the audit log. The customer doesn't see it.",
  initial = "",
}: {
  help?: string;
  initial?: string;
}) {
  return <FormField name="reason" label="Reason" help={help} initial={initial} maxLength={300} />;
}
