import { EmailField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
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

export function EmailForm({ result, email }: Props & { email: string }) {
  return (
    <CheckedForm intent="email" input="emailChange" result={result} className="max-w-104">
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

export function PasswordForm({ result }: Props) {
  return (
    <CheckedForm intent="password" input="passwordChange" result={result} className="max-w-104">
      <PasswordField name="current" label="Current password" />
      <NewPasswordField name="next" label="New password" />
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
