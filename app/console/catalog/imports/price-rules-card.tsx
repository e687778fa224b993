import { useFetcher } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { labelsOf } from "#app/words/field-words.ts";
import { PRICE_RULE_WORDS } from "#app/words/price-rule-words.ts";

type Rule = {
  category: string;
  margin: number;
  roundTo: number;
  minimum: number;
  version: number;
  edit: EditFields;
};

export const ADD_RULE = "add-rule";
export const CHANGE_RULE = "change-rule";
export const REMOVE_RULE = "remove-rule";

const MICRO = 1_000_000;
/** How a provider's services are priced, by category. */
export function PriceRulesCard({ rules, result }: { rules: Rule[]; result: FormResult | null }) {
  const hasGeneral = rules.some(({ category }) => category === "");
  // The form of a rule that a colleague removed is gone.
  const isGone = result?.intent === CHANGE_RULE && !rules.some(({ category }) => category === result.values?.category);
  return (
    <Card title="Price rules" titleId="rules" flush>
      <p className="p-4 text-sm text-muted sm:px-5">
        {hasGeneral
          ? "Every night we compare the catalog: small changes follow these rules, and the rest waits for your decision. A rate that you set by hand stays."
          : "Say what margin this provider's services leave you. The import and the nightly comparison need it."}
      </p>
      {isGone && (
        <div className="px-4 pb-4 sm:px-5">
          <Notice tone="bad">{result.message}</Notice>
        </div>
      )}
      <ul className="divide-y divide-line border-t border-line empty:hidden">
        {rules.map((rule) => (
          <li key={rule.category} className="px-4 py-2 sm:px-5">
            <RuleItem rule={rule} result={result} />
          </li>
        ))}
      </ul>
      <div className="border-t border-line p-4 sm:p-5">
        {hasGeneral ? (
          <details>
            <summary className="flex min-h-11 items-center text-sm font-medium sm:min-h-9">
              Add a rule for one category
            </summary>
            <RuleForm intent={ADD_RULE} rule={null} result={result} asksCategory />
          </details>
        ) : (
          <RuleForm intent={ADD_RULE} rule={null} result={result} />
        )}
      </div>
    </Card>
  );
}

function RuleItem({ rule, result }: { rule: Rule; result: FormResult | null }) {
  const fetcher = useFetcher<FormResult>();
  const { number } = useFormats();
  const name = ruleName(rule.category);
  return (
    <details>
      <summary className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 text-sm sm:min-h-9">
        <span className="min-w-0 flex-1 truncate font-medium" title={name}>
          {name}
        </span>
        <span className="tabular">{number(rule.margin / 100)}% margin</span>
        <span className="text-muted">
          {rule.roundTo > 1 && (
            <>
              rounded up to <Rate micro={rule.roundTo} />
            </>
          )}
          {rule.roundTo > 1 && rule.minimum > 0 && ", "}
          {rule.minimum > 0 && (
            <>
              at least <Rate micro={rule.minimum} />
            </>
          )}
        </span>
      </summary>
      <RuleForm intent={CHANGE_RULE} rule={rule} result={result} />
      <div className="pb-3">
        {fetcher.data?.ok === false && <Notice tone="bad">{fetcher.data.message}</Notice>}
        <ConfirmButton
          sender={fetcher}
          fields={{ intent: REMOVE_RULE, category: rule.category, version: String(rule.version) }}
          button="Remove this rule"
          label={`Remove: ${name}`}
          question={rule.category === "" ? "Remove the general rule?" : `Remove the rule of ${name}?`}
          description={
            rule.category === ""
              ? "Without it, the catalog can't be imported or compared at night. Rates stay as they are."
              : "Its services are then priced by the general rule, from their next change on."
          }
          confirm="Remove the rule"
          asksIdentity
        />
      </div>
    </details>
  );
}

function RuleForm({
  intent,
  rule,
  result,
  asksCategory = false,
}: {
  intent: string;
  rule: Rule | null;
  result: FormResult | null;
  asksCategory?: boolean;
}) {
  const isOwn =
    result?.intent === intent && (result.values?.category ?? "") === (rule?.category ?? result.values?.category ?? "");
  return (
    <EditForm
      asksIdentity
      id={`${intent}-${rule?.category ?? ""}`}
      intent={intent}
      edit={rule?.edit ?? null}
      labels={labelsOf(PRICE_RULE_WORDS)}
      result={isOwn ? result : null}
      hidden={rule ? { category: rule.category } : asksCategory ? {} : { category: "" }}
      className="flex flex-col gap-4 py-3"
    >
      {asksCategory && (
        <FormField
          name="category"
          label={PRICE_RULE_WORDS.category}
          help="Exactly as the provider's catalog names it."
          maxLength={200}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <FormField
          name="margin"
          label={`${PRICE_RULE_WORDS.margin} in percent`}
          help="Of the price: 35 keeps $0.35 of each $1.00."
          initial={rule ? rule.margin / 100 : 35}
          inputMode="decimal"
        />
        <FormField
          name="roundTo"
          label={PRICE_RULE_WORDS.roundTo}
          help="In dollars, like 0.01 or 0.05."
          initial={rule ? rule.roundTo / MICRO : "0.01"}
          inputMode="decimal"
        />
        <FormField
          name="minimum"
          label={PRICE_RULE_WORDS.minimum}
          help="Services that would cost less get this rate."
          initial={rule ? rule.minimum / MICRO : "0"}
          inputMode="decimal"
        />
      </div>
      <div>
        <SubmitButton variant={rule ? "secondary" : "primary"}>{rule ? "Save rule" : "Add rule"}</SubmitButton>
      </div>
    </EditForm>
  );
}

/** The name of a rule. "": the one of all categories without one of their own. */
export function ruleName(category: string): string {
  return category === "" ? "General rule" : category;
}
