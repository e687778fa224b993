import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { refundFor } from "#app/orders/rules/money.ts";
import { ReasonField, StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import type { DecidedOrder } from "./decided-order.ts";
import { RemainsField } from "./remains-field.tsx";

/** Sets status and remains manually. The button shows the refund that follows. */
export function SetStatusForm({
  order,
  statuses,
  result,
}: {
  order: DecidedOrder;
  statuses: readonly OrderStatus[];
  result: StaffFormResult;
}) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [status, setStatus] = useState<string>(result?.values?.status ?? order.status);
  const [remains, setRemains] = useState(result?.values?.remains ?? String(order.remains));
  const undelivered = /^\d{1,10}$/.test(remains) ? Number(remains) : 0;
  const closes = status === "Partial" || status === "Canceled";
  const refund = closes && undelivered <= total ? refundFor({ ...order, remains: undelivered, total }) : 0;
  return (
    <StaffForm
      intent="status"
      result={result}
      button={refund > 0 ? `Set to ${status}, refund ${money(refund)}` : `Set to ${status}`}
      variant={closes ? "danger" : "secondary"}
      readFields={(fields) => {
        setStatus(String(fields.get("status") ?? status));
        setRemains(String(fields.get("remains") ?? remains));
      }}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          id="status-status"
          label="Status"
          error={result?.intent === "status" ? result.fields?.status : undefined}
        >
          {(control) => (
            <Select {...control} name="status" value={status} onChange={(event) => setStatus(event.target.value)}>
              {statuses.map((known) => (
                <option key={known}>{known}</option>
              ))}
            </Select>
          )}
        </Field>
        <RemainsField result={result} intent="status" value={remains} onChange={setRemains} total={total} />
        <StaffField
          result={result}
          intent="status"
          name="startCount"
          label="Start count"
          optional
          initial={order.startCount ?? ""}
          inputMode="numeric"
        />
      </div>
      <ReasonField result={result} intent="status" />
      {order.fulfillment === "queued" && (
        <p className="text-sm text-muted">
          This order is waiting to be sent. Setting its status removes it from the queue.
        </p>
      )}
    </StaffForm>
  );
}
