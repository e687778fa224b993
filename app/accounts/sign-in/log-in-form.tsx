import { Link } from "@remix-run/react";
import { EmailField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { Button } from "#app/components/ui/button.tsx";

export function LogInForm({ result, redirectTo }: { result?: FormResult; redirectTo: string }) {
  return (
    <CheckedForm input="logIn" action="/auth/login" result={result} hidden={{ redirectTo }}>
      {(field, busy) => (
        <>
          <EmailField field={field("email")} autoComplete="username" />
          <PasswordField field={field("password")} label="Password" />
          <Button type="submit" size="large" busy={busy}>
            Log in
          </Button>
          <Link
            to="/reset-password"
            className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
          >
            Forgot your password?
          </Link>
        </>
      )}
    </CheckedForm>
  );
}
