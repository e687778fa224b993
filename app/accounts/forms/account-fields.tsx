import { EMAIL_INPUT } from "#app/components/forms/field.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import { PasswordInput } from "#app/components/forms/password-input.tsx";

export function EmailField({
  name = "email",
  label = "Email address",
  autoComplete,
}: {
  name?: string;
  label?: string;
  autoComplete: "username webauthn" | "username" | "email";
}) {
  return <FormField name={name} label={label} required {...EMAIL_INPUT} autoComplete={autoComplete} />;
}

/** A field for the current password. */
export function PasswordField({ name = "password", label }: { name?: string; label: string }) {
  return (
    <FormField name={name} label={label}>
      {(control) => <PasswordInput {...control} required autoComplete="current-password" />}
    </FormField>
  );
}

/** A field for a code of the authenticator app, or for a recovery code only, for accounts without an app. */
export function FactorCodeField({ hasTotp }: { hasTotp: boolean }) {
  return (
    <FormField
      name="code"
      label={hasTotp ? "Code" : "Recovery code"}
      help={hasTotp ? "From your authenticator app, or one of your recovery codes." : undefined}
      required
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}
