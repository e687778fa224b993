import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import type { DecidedOrder } from "./decided-order.ts";
import { RemainsField } from "./remains-field.tsx";

/** Names of the fields, by which a conflict lists them. */
const LABELS = { status: "Status", remains: "Remains", startCount: "Start count" };

/** Sets status and remains manually. The button shows the refund that follows. */
export function SetStatusForm({
  order,
  edit,
  statuses,
  result,
}: {
  order: DecidedOrder;
  edit: EditFields;
  statuses: readonly OrderStatus[];
  result: FormResult | null;
}) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [status, setStatus] = useState<string>(result?.values?.status ?? order.status);
  const [remains, setRemains] = useState(result?.values?.remains ?? String(order.remains));
  const undelivered = /^\d{1,10}$/.test(remains) ? Number(remains) : 0;
  const closes = status === "Partial" || status === "Canceled";
  const refund = closes && undelivered <= total ? refundFor({ ...order, remains: undelivered, total }) : 0;
  return (
    <EditForm
      asksIdentity
      intent="status"
      edit={edit}
      labels={LABELS}
      result={result}
      readFields={(fields) => {
        setStatus(String(fields.get("status") ?? status));
        setRemains(String(fields.get("remains") ?? remains));
      }}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <FormField name="status" label="Status">
          {(control) => (
            <Select {...control} value={status} onChange={(event) => setStatus(event.target.value)}>
              {statuses.map((known) => (
                <option key={known}>{known}</option>
              ))}
            </Select>
          )}
        </FormField>
        <RemainsField value={remains} onChange={setRemains} total={total} />
        <FormField
          name="startCount"
          label="Start count"
          optional
          initial={order.startCount ?? ""}
          inputMode="numeric"
        />
      </div>
      <ReasonField />
      {order.fulfillment === "queued" && (
        <p className="text-sm text-muted">
          This order is waiting to be sent{order.resendUntil !== null && " again, and the provider may already have it"}
          . Setting its status removes it from the queue.
        </p>
      )}
      <div>
        <SubmitButton variant={closes ? "danger" : "secondary"}>
          {refund > 0 ? `Set to ${status}, refund ${money(refund)}` : `Set to ${status}`}
        </SubmitButton>
      </div>
    </EditForm>
  );
}
