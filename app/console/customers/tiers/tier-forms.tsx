import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { LOSS_FIELD, LossField } from "#app/console/loss-field.tsx";
import { TIER_FIELDS } from "#app/console/resources/tiers.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import { CURRENCY } from "#app/product.ts";
import { labelsOf } from "#app/words/field-words.ts";
import type { Tier } from "./tier-admin.server.ts";
import { SET_RATES, TIER } from "./tier-intents.ts";

/** What a tier is. The kind stays as it was created. */
export function TierForm({ tier, edit, result }: { tier: Tier; edit: EditFields; result: FormResult | null }) {
  const asksLoss = result?.intent === TIER && result.fieldErrors?.[LOSS_FIELD] !== undefined;
  return (
    <EditForm asksIdentity intent={TIER} edit={edit} labels={labelsOf(TIER_FIELDS)} result={result}>
      <div className={tier.kind === "percent" ? "grid gap-4 sm:grid-cols-2" : ""}>
        <FormField
          name="name"
          label={TIER_FIELDS.name.label}
          help={TIER_FIELDS.name.help}
          initial={tier.name}
          maxLength={TIER_FIELDS.name.max}
        />
        {tier.kind === "percent" && (
          <FormField
            name="percent"
            label={TIER_FIELDS.percent.label}
            help="Off every rate, rounded up to a millionth of a dollar."
            initial={percentText(tier.basisPoints).slice(0, -1)}
            inputMode="decimal"
          />
        )}
      </div>
      {asksLoss && <LossField />}
      <div>
        <SubmitButton>Save tier</SubmitButton>
      </div>
    </EditForm>
  );
}

/** Sets rates of a fixed tier's own, many at once. */
export function OwnRatesForm({ tier, result }: { tier: Tier; result: FormResult | null }) {
  const asksLoss = result?.intent === SET_RATES && result.fieldErrors?.[LOSS_FIELD] !== undefined;
  return (
    <ActionForm asksIdentity intent={SET_RATES} result={result} hidden={{ version: tier.version }}>
      <FormField
        name="rates"
        label={`Service ID and rate in ${CURRENCY}`}
        help="One service per line. A dash in place of the rate removes it. Services without one have the usual rate."
      >
        {(control, value) => (
          <Textarea
            {...control}
            rows={6}
            defaultValue={value}
            placeholder={"12 | 0.80\n13 | -"}
            className="font-mono"
          />
        )}
      </FormField>
      {asksLoss && <LossField />}
      <div>
        <SubmitButton>Set rates</SubmitButton>
      </div>
    </ActionForm>
  );
}
