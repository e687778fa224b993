import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { CURRENCY } from "#app/product.ts";
import { CODE_WORDS } from "#app/words/code-words.ts";

/** `once` is the key that makes the form take effect once. */
export function CreateCodesForm({
  once,
  maxCodes,
  result,
}: {
  once: string;
  maxCodes: number;
  result: FormResult | null;
}) {
  const { number } = useFormats();
  return (
    <ActionForm key={once} asksIdentity intent="codes" result={result} hidden={{ once }}>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <FormField
          name="name"
          label={CODE_WORDS.name}
          help="Only staff see it."
          maxLength={100}
          className="sm:max-lg:col-span-2"
        />
        <FormField name="amount" label={`${CODE_WORDS.amount} in ${CURRENCY}`} inputMode="decimal" />
        <FormField
          name="count"
          label={CODE_WORDS.count}
          help={`Up to ${number(maxCodes)}.`}
          initial={1}
          inputMode="numeric"
        />
        <FormField
          name="maxUses"
          label={CODE_WORDS.maxUses}
          help="Each account can redeem a code once."
          initial={1}
          inputMode="numeric"
        />
        <FormField name="expires" label={CODE_WORDS.expires} optional type="date" />
      </div>
      <div>
        <SubmitButton>Create codes</SubmitButton>
      </div>
    </ActionForm>
  );
}
