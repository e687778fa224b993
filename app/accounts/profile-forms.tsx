import { Field, Input } from "#app/components/field.tsx";
import { PasswordInput } from "#app/components/password-input.tsx";
import { AccountForm, type FormAnswer } from "./account-form.tsx";
import { emailChangeInput, nameInput, passwordChangeInput } from "./credentials.ts";
import { NewPasswordField } from "./new-password-field.tsx";

export function NameForm({ answer, fullName }: { answer: FormAnswer | null; fullName: string }) {
  return (
    <AccountForm intent="name" schema={nameInput} answer={answer} button="Save name">
      {(fields) => (
        <Field
          id={fields.fullName.id}
          label="Name"
          help="Shown to our support team, and nowhere else."
          error={fields.fullName.errors}
        >
          {(control) => (
            <Input
              {...control}
              name={fields.fullName.name}
              defaultValue={fields.fullName.initialValue ?? fullName}
              autoComplete="name"
            />
          )}
        </Field>
      )}
    </AccountForm>
  );
}

export function EmailForm({ answer, email }: { answer: FormAnswer | null; email: string }) {
  return (
    <AccountForm intent="email" schema={emailChangeInput} answer={answer} button="Mail a link to the new address">
      {(fields) => (
        <>
          <p className="text-sm text-muted">
            You log in with <b className="font-medium break-all text-text">{email}</b>. A new address counts once you
            have followed the link that we mail there.
          </p>
          <Field id={fields.newEmail.id} label="New e-mail address" error={fields.newEmail.errors}>
            {(control) => (
              <Input
                {...control}
                type="email"
                name={fields.newEmail.name}
                defaultValue={fields.newEmail.initialValue}
                required
                autoComplete="email"
                autoCapitalize="none"
              />
            )}
          </Field>
          <Field id={fields.password.id} label="Your password" error={fields.password.errors}>
            {(control) => (
              <PasswordInput {...control} name={fields.password.name} required autoComplete="current-password" />
            )}
          </Field>
        </>
      )}
    </AccountForm>
  );
}

export function PasswordForm({ answer }: { answer: FormAnswer | null }) {
  return (
    <AccountForm intent="password" schema={passwordChangeInput} answer={answer} button="Change password">
      {(fields) => (
        <>
          <Field id={fields.current.id} label="Current password" error={fields.current.errors}>
            {(control) => (
              <PasswordInput {...control} name={fields.current.name} required autoComplete="current-password" />
            )}
          </Field>
          <NewPasswordField
            id={fields.next.id}
            name={fields.next.name}
            label="New password"
            error={fields.next.errors}
          />
        </>
      )}
    </AccountForm>
  );
}
