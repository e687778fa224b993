import type { ComponentPropsWithoutRef, ReactNode } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import type { CheckedField } from "./use-checked-form.ts";

/** Labeled controls of `CheckedForm`. `field` comes from its children function. */

export function TextField({
  field: { id, error, ...field },
  label,
  help,
  optional = false,
  ...rest
}: { field: CheckedField; label: string; help?: ReactNode; optional?: boolean } & Omit<
  ComponentPropsWithoutRef<"input">,
  "id" | "name" | "className"
>) {
  return (
    <Field id={id} label={label} help={help} optional={optional} error={error}>
      {(control) => <Input {...control} {...field} required={!optional} {...rest} />}
    </Field>
  );
}

export function EmailField({
  field,
  label = "Email address",
  autoComplete,
}: {
  field: CheckedField;
  label?: string;
  autoComplete: "username" | "email";
}) {
  return <TextField field={field} label={label} type="email" autoComplete={autoComplete} autoCapitalize="none" />;
}

/** A field for the current password. */
export function PasswordField({ field: { id, name, error }, label }: { field: CheckedField; label: string }) {
  return (
    <Field id={id} label={label} error={error}>
      {(control) => <PasswordInput {...control} name={name} required autoComplete="current-password" />}
    </Field>
  );
}
