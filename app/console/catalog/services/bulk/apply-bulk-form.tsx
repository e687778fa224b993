import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import type { ShownPlan } from "./bulk-page.server.ts";

/** Applies exactly the plan that is shown. What would sell below cost has a box of its own. */
export function ApplyBulkForm({
  plan,
  labelOf,
  result,
}: {
  plan: ShownPlan;
  /** The button's text, with "3 services" in it. */
  labelOf: (services: string) => string;
  result: FormResult | null;
}) {
  const { number, exactMoney } = useFormats();
  const services = (count: number) => (count === 1 ? "1 service" : `${number(count)} services`);
  return (
    <div className="border-t border-line p-4 sm:p-5">
      <ActionForm asksIdentity intent="apply" result={result} hidden={{ digest: plan.digest }}>
        {plan.loss.count > 0 && (
          <FormCheckbox
            name="loss"
            label={`Sell ${services(plan.loss.count)} below cost`}
            help={`Together they'd take ${exactMoney(plan.loss.sum)} less than their provider does, for ${number(1000)} (or one package) of each.`}
          />
        )}
        <div>
          <SubmitButton>{labelOf(services(plan.count))}</SubmitButton>
        </div>
      </ActionForm>
    </div>
  );
}
