import { Button } from "#app/components/button.tsx";
import { EmailField, TextField } from "./account-fields.tsx";
import { CheckedForm } from "./checked-form.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import type { FormResult } from "./use-checked-form.ts";

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
