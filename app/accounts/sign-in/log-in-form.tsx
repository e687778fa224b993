import { Link } from "@remix-run/react";
import { EmailField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

export function LogInForm({ result, redirectTo }: { result: FormResult | undefined; redirectTo: string }) {
  return (
    <CheckedForm input="logIn" action="/auth/login" result={result} hidden={{ redirectTo }}>
      <EmailField autoComplete="username" />
      <PasswordField label="Password" />
      <SubmitButton size="large">Log in</SubmitButton>
      <Link
        to="/reset-password"
        className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
      >
        Forgot your password?
      </Link>
    </CheckedForm>
  );
}
