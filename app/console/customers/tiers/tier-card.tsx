import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Card } from "#app/components/ui/card.tsx";
import type { AssignedTier } from "./assign-tier.server.ts";
import { ASSIGN_TIER } from "./tier-intents.ts";

/** A customer's tier, and the form that assigns another. */
export function TierCard({
  assigned,
  tiers,
  result,
}: {
  assigned: AssignedTier;
  tiers: { id: number; name: string }[];
  result: FormResult | null;
}) {
  return (
    <Card title="Tier" titleId="tier">
      <ActionForm
        key={assigned.version}
        asksIdentity
        intent={ASSIGN_TIER}
        result={result}
        hidden={{ version: assigned.version }}
      >
        <FormField
          name="tier"
          label="Prices"
          help="For orders from now on, here and through the API. Placed orders keep their charge."
          initial={String(assigned.tierId ?? "")}
        >
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="">Usual prices</option>
              {tiers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <div>
          <SubmitButton>Assign tier</SubmitButton>
        </div>
      </ActionForm>
    </Card>
  );
}
