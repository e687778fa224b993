import { useState } from "react";
import type { CheckedField } from "#app/accounts/forms/use-checked-form.ts";
import { Field } from "#app/components/forms/field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import { lengthHint, STEPS_TO_FILL } from "./password-length.ts";

export function NewPasswordField({ field: { id, name, error }, label }: { field: CheckedField; label: string }) {
  const [length, setLength] = useState(0);
  return (
    <Field id={id} label={label} help={<LengthHint length={length} />} error={error}>
      {(control) => (
        <PasswordInput
          {...control}
          name={name}
          required
          autoComplete="new-password"
          onInput={(event) => setLength(event.currentTarget.value.length)}
        />
      )}
    </Field>
  );
}

function LengthHint({ length }: { length: number }) {
  const { filled, text } = lengthHint(length);
  return (
    <span className="flex flex-col gap-1.5">
      <span aria-hidden className="flex gap-1 noscript:hidden">
        {Array.from({ length: STEPS_TO_FILL }, (_, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has nothing but its place
          <span key={step} className={`h-0.5 flex-1 rounded-full ${step < filled ? "bg-accent" : "bg-line"}`} />
        ))}
      </span>
      {text}
    </span>
  );
}
