import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { NewPasswordField } from "./new-password-field.tsx";

/** The form behind a reset link. `token` comes from the link. */
export function NewPasswordForm({ token, result }: { token: string; result: FormResult | null }) {
  return (
    <CheckedForm input="reset" action="/reset-password" result={result} hidden={{ token }}>
      <NewPasswordField name="password" label="New password" />
      <SubmitButton size="large">Set password</SubmitButton>
    </CheckedForm>
  );
}
