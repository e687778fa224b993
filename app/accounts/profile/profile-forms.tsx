import MailWarning from "lucide-react/icons/mail-warning";
import { EmailField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

type Props = { result: FormResult | null };

export function NameForm({ result, fullName }: Props & { fullName: string }) {
  return (
    <CheckedForm intent="name" input="name" result={result} className="max-w-104">
      <FormField
        name="fullName"
        label="Name"
        help="Only our support team sees it."
        initial={fullName}
        autoComplete="name"
      />
      <Save>Save name</Save>
    </CheckedForm>
  );
}

/** `asksIdentity`: the account has a factor, so that the password in the form is not enough. */
type SecretProps = Props & { asksIdentity: boolean };

/** `emailsReturn`: emails to this address bounce or were reported as spam, so that we send none. */
export function EmailForm({
  result,
  email,
  emailsReturn,
  asksIdentity,
}: SecretProps & { email: string; emailsReturn: boolean }) {
  return (
    <CheckedForm asksIdentity={asksIdentity} intent="email" input="emailChange" result={result} className="max-w-104">
      {emailsReturn && (
        <p className="flex items-start gap-2 rounded-md bg-warn-wash px-3 py-2.5 text-sm text-warn">
          <MailWarning aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            We can't email you: an email to this address was returned or reported as spam. Use another address, or ask
            our support team to try again.
          </span>
        </p>
      )}
      <p className="text-sm text-muted">
        You log in with <b className="font-medium break-all text-text">{email}</b>. To change it, confirm the link we
        send to the new address.
      </p>
      <EmailField name="newEmail" label="New email address" autoComplete="email" />
      <PasswordField label="Your password" />
      <Save>Send confirmation link</Save>
    </CheckedForm>
  );
}

export function PasswordForm({ result, asksIdentity }: SecretProps) {
  return (
    <CheckedForm
      asksIdentity={asksIdentity}
      intent="password"
      input="passwordChange"
      result={result}
      className="max-w-104"
    >
      <PasswordField name="current" label="Current password" />
      <NewPasswordField name="next" label="New password" />
      <FormCheckbox
        name="endAccess"
        label="Also revoke all API keys and turn off all webhooks"
        help="Do this if somebody else knew it."
      />
      <Save>Change password</Save>
    </CheckedForm>
  );
}

function Save({ children }: { children: string }) {
  return (
    <SubmitButton variant="secondary" className="self-start">
      {children}
    </SubmitButton>
  );
}
