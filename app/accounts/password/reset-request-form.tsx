import { EmailField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

export function ResetRequestForm({ result }: { result: FormResult | null }) {
  return (
    <CheckedForm input="requestReset" action="/reset-password" result={result}>
      <EmailField autoComplete="username" />
      <SubmitButton size="large">Send reset link</SubmitButton>
    </CheckedForm>
  );
}
