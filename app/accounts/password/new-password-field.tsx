import { useRef, useState } from "react";
import { FormField } from "#app/components/forms/form-field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";
import { useFieldAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { lengthHint, STEPS_TO_FILL } from "./password-length.ts";

export function NewPasswordField({ name, label }: { name: string; label: string }) {
  const [length, setLength] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useFieldAtHydration(input, (typed) => setLength(typed.length));
  return (
    <FormField name={name} label={label} help={<LengthHint length={length} />}>
      {(control) => (
        <PasswordInput
          {...control}
          ref={input}
          required
          autoComplete="new-password"
          onInput={(event) => setLength(event.currentTarget.value.length)}
        />
      )}
    </FormField>
  );
}

function LengthHint({ length }: { length: number }) {
  const { filled, text } = lengthHint(length);
  return (
    <span className="flex flex-col gap-1.5">
      <span aria-hidden className="flex gap-1 noscript:hidden">
        {Array.from({ length: STEPS_TO_FILL }, (_, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its position
          <span key={step} className={`h-0.5 flex-1 rounded-full ${step < filled ? "bg-accent" : "bg-line"}`} />
        ))}
      </span>
      {text}
    </span>
  );
}
