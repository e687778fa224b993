import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";

/** `order` are the hidden fields of an order to place with the code's amount. */
export function RedeemForm({
  result,
  order,
  variant,
}: {
  result: FormResult | null;
  order: Record<string, string> | null;
  variant: "primary" | "secondary";
}) {
  return (
    <ActionForm intent="code" result={result} hidden={order ? { ...order, order: "on" } : {}}>
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
      <SubmitButton variant={variant} className="self-start">
        {order ? "Redeem and place order" : "Redeem"}
      </SubmitButton>
    </ActionForm>
  );
}
