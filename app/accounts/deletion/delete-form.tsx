import { PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";

export function DeleteForm({ result }: { result: FormResult | null }) {
  return (
    <CheckedForm input="deletion" action="/account/delete" result={result} className="max-w-104">
      {(field, busy) => (
        <>
          <PasswordField field={field("password")} label="Your password" />
          <div className="flex flex-wrap gap-3">
            <Button type="submit" variant="danger" size="large" busy={busy}>
              Delete my account
            </Button>
            <ButtonLink to="/dashboard/account" variant="quiet" size="large">
              Keep my account
            </ButtonLink>
          </div>
        </>
      )}
    </CheckedForm>
  );
}
