import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import type { DecidedOrder } from "./decided-order.ts";
import { RemainsField } from "./remains-field.tsx";

export function CancellationForm({ order, result }: { order: DecidedOrder; result: FormResult | null }) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [decision, setDecision] = useState(result?.values?.decision ?? "accept");
  const [remains, setRemains] = useState(result?.values?.remains ?? String(order.remains));
  const undelivered = /^\d{1,10}$/.test(remains) ? Math.min(Number(remains), total) : 0;
  const refund = money(refundFor({ ...order, remains: undelivered, total }));
  const accepts = decision === "accept";
  return (
    <ActionForm
      asksIdentity
      intent="cancel"
      result={result}
      hidden={{ seen: order.remains }}
      readFields={(fields) => {
        setDecision(String(fields.get("decision") ?? decision));
        setRemains(String(fields.get("remains") ?? remains));
      }}
    >
      <FormField name="decision" label="Decision">
        {(control) => (
          <Select {...control} value={decision} onChange={(event) => setDecision(event.target.value)}>
            <option value="accept">Accept: cancel the undelivered part</option>
            <option value="reject">Reject: continue the order</option>
          </Select>
        )}
      </FormField>
      {accepts && <RemainsField value={remains} onChange={setRemains} total={total} />}
      <ReasonField />
      <div>
        <SubmitButton variant={accepts ? "danger" : "secondary"}>
          {accepts ? `Cancel and refund ${refund}` : "Reject cancellation"}
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
