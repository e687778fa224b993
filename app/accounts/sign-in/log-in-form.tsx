import { Link } from "@remix-run/react";
import { PasskeyButton } from "#app/accounts/factors/browser/passkey-button.tsx";
import { usePasskey, usePasskeyAutofill } from "#app/accounts/factors/browser/use-passkey.ts";
import { EmailField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

export function LogInForm({ result, redirectTo }: { result: FormResult | undefined; redirectTo: string }) {
  const byPasskey = { purpose: "log_in", action: "/auth/login", fields: { redirectTo } } as const;
  const passkey = usePasskey(byPasskey);
  // A question of the button would end this one, and is asked for again once it is over.
  usePasskeyAutofill(!passkey.isBusy, byPasskey);
  return (
    <div className="flex flex-col gap-5">
      <CheckedForm input="logIn" action="/auth/login" result={result} hidden={{ redirectTo }}>
        <EmailField autoComplete="username webauthn" />
        <PasswordField label="Password" />
        <SubmitButton size="large">Log in</SubmitButton>
      </CheckedForm>
      <PasskeyButton
        passkey={passkey}
        refused={result?.intent === "passkey" ? result.message : undefined}
        variant="secondary"
        size="large"
      >
        Log in with a passkey
      </PasskeyButton>
      <Link
        to="/reset-password"
        className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
      >
        Forgot your password?
      </Link>
    </div>
  );
}
