import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import type { StaffFormResult } from "#app/orders/staff/staff-form.tsx";

export function RemainsField({
  result,
  intent,
  value,
  onChange,
  total,
}: {
  result: StaffFormResult;
  intent: string;
  value: string;
  onChange: (value: string) => void;
  total: number;
}) {
  const { number } = useFormats();
  return (
    <Field
      id={`${intent}-remains`}
      label="Remains"
      help={`Not delivered, of ${number(total)}`}
      error={result?.intent === intent ? result.fields?.remains : undefined}
    >
      {(control) => (
        <input
          {...control}
          name="remains"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          inputMode="numeric"
          autoComplete="off"
          className="h-11 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-[16px] aria-invalid:border-bad sm:h-10 sm:text-sm"
        />
      )}
    </Field>
  );
}
