import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { NewPasswordField } from "./new-password-field.tsx";

/** The form behind a reset link. `token` comes from the link. */
export function NewPasswordForm({ token, result }: { token: string; result: FormResult | null }) {
  return (
    <CheckedForm input="reset" action="/reset-password" result={result} hidden={{ token }}>
      {(field, busy) => (
        <>
          <NewPasswordField field={field("password")} label="New password" />
          <Button type="submit" size="large" busy={busy}>
            Set password
          </Button>
        </>
      )}
    </CheckedForm>
  );
}
