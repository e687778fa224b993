import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { refundFor } from "#app/orders/rules/money.ts";
import { ReasonField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import type { DecidedOrder } from "./decided-order.ts";
import { RemainsField } from "./remains-field.tsx";

export function CancellationForm({ order, result }: { order: DecidedOrder; result: StaffFormResult }) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [decision, setDecision] = useState(result?.values?.decision ?? "accept");
  const [remains, setRemains] = useState(result?.values?.remains ?? String(order.remains));
  const undelivered = /^\d{1,10}$/.test(remains) ? Math.min(Number(remains), total) : 0;
  const refund = money(refundFor({ ...order, remains: undelivered, total }));
  const accepts = decision === "accept";
  return (
    <StaffForm
      intent="cancel"
      result={result}
      button={accepts ? `Cancel and refund ${refund}` : "Reject cancellation"}
      variant={accepts ? "danger" : "secondary"}
      readFields={(fields) => {
        setDecision(String(fields.get("decision") ?? decision));
        setRemains(String(fields.get("remains") ?? remains));
      }}
    >
      <Field id="cancel-decision" label="Decision">
        {(control) => (
          <Select {...control} name="decision" value={decision} onChange={(event) => setDecision(event.target.value)}>
            <option value="accept">Accept: cancel the undelivered part</option>
            <option value="reject">Reject: continue the order</option>
          </Select>
        )}
      </Field>
      {accepts && <RemainsField result={result} intent="cancel" value={remains} onChange={setRemains} total={total} />}
      <ReasonField result={result} intent="cancel" />
    </StaffForm>
  );
}
