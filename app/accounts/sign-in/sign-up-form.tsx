import { EmailField, TextField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import { Button } from "#app/components/ui/button.tsx";

export function SignUpForm({ result, redirectTo }: { result?: FormResult; redirectTo: string }) {
  return (
    <CheckedForm input="signUp" action="/auth/signup" result={result} hidden={{ redirectTo }}>
      {(field, busy) => (
        <>
          <TextField field={field("fullName")} label="Name" optional autoComplete="name" />
          <EmailField field={field("email")} autoComplete="email" />
          <NewPasswordField field={field("password")} label="Password" />
          <Button type="submit" size="large" busy={busy}>
            Create account
          </Button>
        </>
      )}
    </CheckedForm>
  );
}
