import { Button } from "#app/components/button.tsx";
import { EmailField } from "./account-fields.tsx";
import { CheckedForm } from "./checked-form.tsx";
import type { FormResult } from "./use-checked-form.ts";

export function AskResetForm({ result }: { result: FormResult | null }) {
  return (
    <CheckedForm input="requestReset" action="/reset-password" result={result}>
      {(field, busy) => (
        <>
          <EmailField field={field("email")} autoComplete="username" />
          <Button type="submit" size="large" busy={busy}>
            Send a link
          </Button>
        </>
      )}
    </CheckedForm>
  );
}
