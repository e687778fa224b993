import { EmailField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

export function SignUpForm({ result, redirectTo }: { result: FormResult | undefined; redirectTo: string }) {
  return (
    <CheckedForm input="signUp" action="/auth/signup" result={result} hidden={{ redirectTo }}>
      <FormField name="fullName" label="Name" optional autoComplete="name" />
      <EmailField autoComplete="email" />
      <NewPasswordField name="password" label="Password" />
      <SubmitButton size="large">Create account</SubmitButton>
    </CheckedForm>
  );
}
