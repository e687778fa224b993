import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { LOSS_FIELD, LossField } from "#app/console/loss-field.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import { CURRENCY } from "#app/product.ts";
import { labelsOf } from "#app/words/field-words.ts";
import { TIER_WORDS } from "#app/words/tier-words.ts";
import type { Tier } from "./tier-admin.server.ts";
import { CREATE_TIER, SET_RATES, TIER } from "./tier-intents.ts";

const NAME_HELP = "Customers see it on their orders.";

/** `once` is the key that makes the form take effect once. */
export function CreateTierForm({ once, result }: { once: string; result: FormResult | null }) {
  return (
    <ActionForm key={once} asksIdentity intent={CREATE_TIER} result={result} hidden={{ once }}>
      <div className="grid gap-4 sm:grid-cols-3">
        <FormField name="name" label={TIER_WORDS.name} help={NAME_HELP} maxLength={40} />
        <FormField name="kind" label={TIER_WORDS.kind.label} initial="percent">
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {Object.entries(TIER_WORDS.kind.values).map(([kind, words]) => (
                <option key={kind} value={kind}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
          name="percent"
          label={TIER_WORDS.percent}
          help={`Only with “${TIER_WORDS.kind.values.percent}”.`}
          initial="10"
          inputMode="decimal"
        />
      </div>
      <div>
        <SubmitButton>Create tier</SubmitButton>
      </div>
    </ActionForm>
  );
}

/** What a tier is. The kind stays as it was created. */
export function TierForm({ tier, edit, result }: { tier: Tier; edit: EditFields; result: FormResult | null }) {
  const asksLoss = result?.intent === TIER && result.fieldErrors?.[LOSS_FIELD] !== undefined;
  return (
    <EditForm asksIdentity intent={TIER} edit={edit} labels={labelsOf(TIER_WORDS)} result={result}>
      <div className={tier.kind === "percent" ? "grid gap-4 sm:grid-cols-2" : ""}>
        <FormField name="name" label={TIER_WORDS.name} help={NAME_HELP} initial={tier.name} maxLength={40} />
        {tier.kind === "percent" && (
          <FormField
            name="percent"
            label={TIER_WORDS.percent}
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
