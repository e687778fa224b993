import { Form, useNavigation } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";

/** The result of a refused form: an error for the form, errors for its fields, and what was typed. */
export type StaffFormResult = {
  intent: string;
  error?: string | undefined;
  fields?: Record<string, string> | undefined;
  values?: Record<string, string> | undefined;
} | null;

export function StaffForm({
  intent,
  result,
  button,
  variant = "primary",
  hidden = {},
  aside,
  readFields = () => {},
  children,
}: {
  intent: string;
  result: StaffFormResult;
  button: string;
  variant?: "primary" | "secondary" | "danger";
  hidden?: Record<string, string | number>;
  aside?: ReactNode;
  /** Called once, after hydration, for fields that the form mirrors in its state. */
  readFields?: (fields: FormData) => void;
  children?: ReactNode;
}) {
  const { formData, state } = useNavigation();
  const form = useRef<HTMLFormElement>(null);
  useFieldsAtHydration(form, readFields);
  const sent =
    formData?.get("intent") === intent &&
    Object.entries(hidden).every(([name, value]) => formData.get(name) === String(value));
  const error = result?.intent === intent ? result.error : undefined;
  return (
    <Form ref={form} method="post" preventScrollReset className="flex flex-col gap-4">
      <input type="hidden" name="intent" value={intent} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {error && <Notice tone="bad">{error}</Notice>}
      {children}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant={variant} busy={sent && state !== "idle"}>
          {button}
        </Button>
        {aside}
      </div>
    </Form>
  );
}

/** A text field of a staff form, with what was typed and its error after a refused form. */
export function StaffField({
  result,
  intent,
  name,
  label,
  help,
  optional = false,
  initial = "",
  className = "",
  ...rest
}: {
  result: StaffFormResult;
  intent: string;
  name: string;
  label: string;
  help?: ReactNode;
  optional?: boolean;
  initial?: string | number;
  className?: string;
  inputMode?: "numeric" | "decimal";
  maxLength?: number;
  type?: string;
  autoComplete?: string;
  list?: string;
}) {
  const own = result?.intent === intent ? result : null;
  return (
    <Field
      id={`${intent}-${name}`}
      label={label}
      help={help}
      optional={optional}
      error={own?.fields?.[name]}
      className={className}
    >
      {(control) => (
        <Input autoComplete="off" {...rest} {...control} name={name} defaultValue={own?.values?.[name] ?? initial} />
      )}
    </Field>
  );
}

export function ReasonField(props: { result: StaffFormResult; intent: string; help?: string }) {
  return (
    <StaffField
      {...props}
      name="reason"
      label="Reason"
      help={props.help ?? "Saved in the audit log. The customer doesn’t see it."}
      maxLength={300}
    />
  );
}
