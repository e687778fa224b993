import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { CURRENCY } from "#app/product.ts";
import { PERCENT_CODE_WORDS } from "#app/words/percent-code-words.ts";
import { CREATE_PERCENT_CODE } from "./percent-code-intents.ts";

/** `once` is the key that makes the form take effect once. */
export function CreatePercentCodeForm({
  once,
  networks,
  result,
}: {
  once: string;
  networks: string[];
  result: FormResult | null;
}) {
  return (
    <ActionForm key={once} asksIdentity intent={CREATE_PERCENT_CODE} result={result} hidden={{ once }}>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <FormField name="name" label={PERCENT_CODE_WORDS.name} help="Customers see it on their order." maxLength={60} />
        <FormField
          name="code"
          label={PERCENT_CODE_WORDS.code}
          optional
          help="What customers type. Leave it empty for a random one."
          maxLength={40}
        />
        <FormField name="percent" label={PERCENT_CODE_WORDS.percent} initial="10" inputMode="decimal" />
        <FormField
          name="maxDiscount"
          label={`${PERCENT_CODE_WORDS.maxDiscount} in ${CURRENCY}`}
          optional
          help="Per order."
          inputMode="decimal"
        />
        <FormField
          name="minCharge"
          label={`${PERCENT_CODE_WORDS.minCharge} in ${CURRENCY}`}
          optional
          help="What an order costs without the code."
          inputMode="decimal"
        />
        <FormField
          name="network"
          label={PERCENT_CODE_WORDS.network}
          optional
          help="Leave it empty for all networks."
          list="code-networks"
          maxLength={60}
        />
        <FormField name="uses" label={PERCENT_CODE_WORDS.uses} initial={100} inputMode="numeric" />
        <FormField name="perCustomer" label={PERCENT_CODE_WORDS.perCustomer} initial={1} inputMode="numeric" />
        <FormField name="starts" label={PERCENT_CODE_WORDS.starts} optional type="date" />
        <FormField name="ends" label={PERCENT_CODE_WORDS.ends} optional type="date" />
      </div>
      <datalist id="code-networks">
        {networks.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div>
        <SubmitButton>Create code</SubmitButton>
      </div>
    </ActionForm>
  );
}
