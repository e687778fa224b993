import type { ComponentProps } from "react";
import { PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { ProofMethods } from "./proof-result.ts";

type Form = Pick<ComponentProps<typeof ActionForm>, "result" | "action" | "hidden" | "sender" | "onSubmit" | "id">;

export function PasswordProofForm(form: Form) {
  return (
    <ActionForm {...form} intent="password">
      <PasswordField label="Password" />
      <SubmitButton className="w-full">Confirm</SubmitButton>
    </ActionForm>
  );
}

export function CodeProofForm({ hasTotp, ...form }: Form & Pick<ProofMethods, "hasTotp">) {
  return (
    <ActionForm {...form} intent="code">
      <FormField
        name="code"
        label={hasTotp ? "Code" : "Recovery code"}
        help={hasTotp ? "From your authenticator app, or one of your recovery codes." : undefined}
        required
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
      />
      <SubmitButton className="w-full">Confirm</SubmitButton>
    </ActionForm>
  );
}
