import type { ComponentPropsWithoutRef, ReactNode } from "react";
import { ownValue } from "#app/own-value.ts";
import { useFormState } from "./action-form.tsx";
import { type Control, Field, Input } from "./field.tsx";

/**
 * A labeled control in an `ActionForm`: a text input, or the control that `children` returns. It shows its error and the
 * typed value, or `initial` before the first submission.
 */
export function FormField({
  name,
  label,
  help,
  optional = false,
  initial = "",
  className = "",
  inputClassName = "",
  children,
  ...input
}: {
  name: string;
  label: ReactNode;
  help?: ReactNode;
  optional?: boolean;
  initial?: string | number;
  className?: string;
  inputClassName?: string;
  children?: (control: Control & { name: string }, value: string | number) => ReactNode;
} & Omit<ComponentPropsWithoutRef<"input">, "id" | "name" | "defaultValue" | "children">) {
  const { prefix, errors, values } = useFormState();
  const value = ownValue(values, name) ?? initial;
  const shown = input.value === undefined ? { defaultValue: value } : {};
  return (
    <Field
      id={`${prefix}-${name}`}
      label={label}
      help={help}
      optional={optional}
      error={ownValue(errors, name)}
      className={className}
    >
      {(control) =>
        children ? (
          children({ ...control, name }, value)
        ) : (
          <Input autoComplete="off" {...input} {...shown} {...control} name={name} className={inputClassName} />
        )
      }
    </Field>
  );
}

/** A labeled checkbox of an `ActionForm`. */
export function FormCheckbox({
  name,
  label,
  help,
  initial = false,
}: {
  name: string;
  label: string;
  help?: string;
  initial?: boolean;
}) {
  const { values } = useFormState();
  return (
    <label className={`flex min-h-11 gap-2.5 text-sm sm:min-h-0 ${help ? "items-start" : "items-center"}`}>
      <input
        type="checkbox"
        name={name}
        defaultChecked={values ? Object.hasOwn(values, name) : initial}
        className={`size-4 shrink-0 accent-accent ${help ? "mt-0.5" : ""}`}
      />
      <span>
        {label}
        {help && <span className="block text-muted">{help}</span>}
      </span>
    </label>
  );
}
