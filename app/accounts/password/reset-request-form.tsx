import { EmailField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { Button } from "#app/components/ui/button.tsx";

export function AskResetForm({ result }: { result: FormResult | null }) {
  return (
    <CheckedForm input="requestReset" action="/reset-password" result={result}>
      {(field, busy) => (
        <>
          <EmailField field={field("email")} autoComplete="username" />
          <Button type="submit" size="large" busy={busy}>
            Send reset link
          </Button>
        </>
      )}
    </CheckedForm>
  );
}
