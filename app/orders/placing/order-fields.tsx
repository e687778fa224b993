import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { orderField } from "#app/orders/rules/order-input.ts";

type Need = Offer["needs"][number];

/** One of the fields that only some types of order have. */
export function OrderDetail({
  need,
  initial,
  error,
  help,
  onChange,
}: {
  need: Need;
  initial: string;
  error: string | undefined;
  help?: string;
  onChange?: (value: string) => void;
}) {
  const { kind, label, choices, help: fieldHelp } = orderField(need.name);
  const isList = kind === "lines";
  return (
    <Field
      id={`order-${need.name}`}
      label={label}
      optional={need.optional}
      help={[fieldHelp, help].filter(Boolean).join(" ") || undefined}
      error={error}
      className={isList ? "sm:col-span-2" : ""}
    >
      {(control) => {
        const shared = { ...control, name: need.name, defaultValue: initial };
        if (isList) return <Textarea {...shared} onChange={(event) => onChange?.(event.target.value)} />;
        if (choices) {
          return (
            <Select {...shared}>
              {choices.map((choice, index) => (
                <option key={choice} value={index + 1}>
                  {choice}
                </option>
              ))}
            </Select>
          );
        }
        return <Input {...shared} inputMode={kind === "number" ? "numeric" : undefined} autoComplete="off" />;
      }}
    </Field>
  );
}
