import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ReasonField } from "#app/console/reason-field.tsx";
import type { DecidedOrder } from "./decided-order.ts";

/** The three ways to resolve a held order. */
export function ResolveHeldForm({
  order,
  provider,
  result,
}: {
  order: DecidedOrder;
  provider: string;
  result: FormResult | null;
}) {
  const { money } = useFormats();
  const [outcome, setOutcome] = useState(result?.values?.outcome ?? "accepted");
  const refund = money(order.charge - order.refunded);
  const options = [
    ["accepted", `${provider} accepted it`, "We track its status there."],
    ["refused", `${provider} didn't accept it`, `We cancel the order and refund ${refund}.`],
    ["again", "Send again", `Only if ${provider} has no record of it. Otherwise it may be delivered twice.`],
  ] as const;
  return (
    <ActionForm
      asksIdentity
      intent="resolve"
      result={result}
      hidden={{ seen: order.updatedAt }}
      readFields={(fields) => setOutcome(String(fields.get("outcome") ?? outcome))}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 text-sm font-medium">What does the provider's panel show?</legend>
        {options.map(([value, label, help]) => (
          <label key={value} className="flex min-h-11 items-start gap-2.5 text-sm sm:min-h-0">
            <input
              type="radio"
              name="outcome"
              value={value}
              checked={outcome === value}
              onChange={() => setOutcome(value)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span>
              {label}
              <span className="block text-muted">{help}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {outcome === "accepted" && (
        <FormField
          name="providerOrderId"
          label="Provider order ID"
          initial={order.providerOrderId ?? ""}
          maxLength={64}
        />
      )}
      <ReasonField />
      <div>
        <SubmitButton variant={outcome === "refused" ? "danger" : "primary"}>
          {outcome === "refused" ? `Cancel and refund ${refund}` : outcome === "again" ? "Send again" : "Track it"}
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
