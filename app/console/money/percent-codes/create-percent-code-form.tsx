import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { CURRENCY } from "#app/product.ts";
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
        <FormField name="name" label="Name" help="Customers see it on their order." maxLength={60} />
        <FormField
          name="code"
          label="Code"
          optional
          help="What customers type. Leave it empty for a random one."
          maxLength={40}
        />
        <FormField name="percent" label="Percent off" initial="10" inputMode="decimal" />
        <FormField
          name="maxDiscount"
          label={`Maximum discount in ${CURRENCY}`}
          optional
          help="Per order."
          inputMode="decimal"
        />
        <FormField
          name="minCharge"
          label={`Minimum charge in ${CURRENCY}`}
          optional
          help="What an order costs without the code."
          inputMode="decimal"
        />
        <FormField
          name="network"
          label="Network"
          optional
          help="Leave it empty for all networks."
          list="code-networks"
          maxLength={60}
        />
        <FormField name="uses" label="Total uses" initial={100} inputMode="numeric" />
        <FormField name="perCustomer" label="Uses per customer" initial={1} inputMode="numeric" />
        <FormField name="starts" label="First day (UTC)" optional type="date" />
        <FormField name="ends" label="Last day (UTC)" optional type="date" />
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
