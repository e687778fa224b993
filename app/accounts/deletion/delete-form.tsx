import { PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";

/** `asksIdentity`: the account has a factor, so that the password in the form is not enough. */
export function DeleteForm({ result, asksIdentity }: { result: FormResult | undefined; asksIdentity: boolean }) {
  return (
    <CheckedForm
      asksIdentity={asksIdentity}
      input="deletion"
      action="/account/delete"
      result={result}
      className="max-w-104"
    >
      <PasswordField label="Your password" />
      <div className="flex flex-wrap gap-3">
        <SubmitButton variant="danger" size="large">
          Delete my account
        </SubmitButton>
        <ButtonLink to="/dashboard/account" variant="quiet" size="large">
          Keep my account
        </ButtonLink>
      </div>
    </CheckedForm>
  );
}
