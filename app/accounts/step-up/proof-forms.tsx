import type { ComponentProps } from "react";
import { FactorCodeField, PasswordField } from "#app/accounts/forms/account-fields.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
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
      <FactorCodeField hasTotp={hasTotp} />
      <SubmitButton className="w-full">Confirm</SubmitButton>
    </ActionForm>
  );
}
