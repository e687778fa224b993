import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";

/** One of a few values that a list is narrowed to, or all. Options are [value, text]. */
export function FilterChoice({
  id,
  name,
  label,
  value,
  options,
  className = "sm:w-40",
}: {
  id: string;
  name: string;
  label: string;
  value: string;
  options: [string, string][];
  className?: string;
}) {
  return (
    <Field id={id} label={label} className={className}>
      {(control) => (
        <Select {...control} key={value} name={name} defaultValue={value}>
          <option value="">All</option>
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** A box that narrows a list while it is ticked. */
export function FilterBox({ name, label, checked }: { name: string; label: string; checked: boolean }) {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm sm:min-h-0">
      <input
        key={String(checked)}
        type="checkbox"
        name={name}
        value="1"
        defaultChecked={checked}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  );
}
