import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";

export function RemainsField({
  value,
  onChange,
  total,
}: {
  value: string;
  onChange: (value: string) => void;
  total: number;
}) {
  const { number } = useFormats();
  return (
    <FormField
      name="remains"
      label="Remains"
      help={`Not delivered, of ${number(total)}`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      inputMode="numeric"
    />
  );
}
