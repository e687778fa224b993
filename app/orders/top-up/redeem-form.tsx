import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

export function RedeemForm({ result }: { result: FormResult | null }) {
  return (
    <ActionForm intent="code" result={result}>
      <FormField
        name="code"
        label="Code"
        help="Not case-sensitive. Hyphens are optional."
        maxLength={60}
        placeholder="GL-XXXX-XXXX-XXXX-XXXX"
        autoCapitalize="characters"
        spellCheck={false}
        inputClassName="font-mono"
      />
      <SubmitButton className="self-start">Redeem</SubmitButton>
    </ActionForm>
  );
}
