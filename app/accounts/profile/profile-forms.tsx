import type { ReactNode } from "react";
import { EmailField, PasswordField, TextField } from "#app/accounts/forms/account-fields.tsx";
import type { AccountInput, AccountInputField } from "#app/accounts/forms/account-input.ts";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { CheckedField, FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import { Button } from "#app/components/ui/button.tsx";

/** The part of the server's answer that a form shows; `intent` names the form. */
export type FormAnswer = { intent: string; result: FormResult | null; done: string | null };

export function NameForm({ answer, fullName }: { answer: FormAnswer | null; fullName: string }) {
  return (
    <ProfileForm intent="name" input="name" answer={answer} button="Save name">
      {(field) => (
        <TextField
          field={{ ...field("fullName"), defaultValue: field("fullName").defaultValue ?? fullName }}
          label="Name"
          help="Only our support team sees it."
          required={false}
          autoComplete="name"
        />
      )}
    </ProfileForm>
  );
}

export function EmailForm({ answer, email }: { answer: FormAnswer | null; email: string }) {
  return (
    <ProfileForm intent="email" input="emailChange" answer={answer} button="Send confirmation link">
      {(field) => (
        <>
          <p className="text-sm text-muted">
            You log in with <b className="font-medium break-all text-text">{email}</b>. To change it, confirm the link
            we send to the new address.
          </p>
          <EmailField field={field("newEmail")} label="New email address" autoComplete="email" />
          <PasswordField field={field("password")} label="Your password" />
        </>
      )}
    </ProfileForm>
  );
}

export function PasswordForm({ answer }: { answer: FormAnswer | null }) {
  return (
    <ProfileForm intent="password" input="passwordChange" answer={answer} button="Change password">
      {(field) => (
        <>
          <PasswordField field={field("current")} label="Current password" />
          <NewPasswordField field={field("next")} label="New password" />
        </>
      )}
    </ProfileForm>
  );
}

function ProfileForm<Input extends AccountInput>({
  intent,
  input,
  answer,
  button,
  children,
}: {
  intent: string;
  input: Input;
  answer: FormAnswer | null;
  button: string;
  children: (field: (name: AccountInputField<Input>) => CheckedField) => ReactNode;
}) {
  const mine = answer?.intent === intent ? answer : null;
  return (
    <CheckedForm input={input} result={mine?.result} done={mine?.done} hidden={{ intent }} className="max-w-104">
      {(field, busy) => (
        <>
          {children(field)}
          <Button type="submit" variant="secondary" className="self-start" busy={busy}>
            {button}
          </Button>
        </>
      )}
    </CheckedForm>
  );
}
