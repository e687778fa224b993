import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { decimal, parseDecimal, refundFor } from "#app/orders/rules/money.ts";
import { ReasonField, StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";

export type DecidedOrder = {
  id: number;
  status: OrderStatus;
  fulfillment: string;
  providerId: number | null;
  providerOrderId: string | null;
  charge: number;
  refunded: number;
  quantity: number;
  runs: number;
  remains: number;
  startCount: number | null;
};

/** Was it taken or not? The three ways out of being held. */
export function ResolveHeld({
  order,
  provider,
  answer,
}: {
  order: DecidedOrder;
  provider: string;
  answer: StaffFormResult;
}) {
  const { money } = useFormats();
  const [outcome, setOutcome] = useState(answer?.values?.outcome ?? "accepted");
  const back = money(order.charge - order.refunded);
  const ways = [
    ["accepted", `${provider} took it`, "It is followed there from now on."],
    ["refused", `${provider} did not take it`, `The order is canceled and ${back} goes back.`],
    ["again", "Send it again", "Only when it is surely not there: else it is delivered twice."],
  ] as const;
  return (
    <StaffForm
      intent="resolve"
      answer={answer}
      button={outcome === "refused" ? `Cancel and refund ${back}` : outcome === "again" ? "Send again" : "Follow it"}
      readFields={(fields) => setOutcome(String(fields.get("outcome") ?? outcome))}
      variant={outcome === "refused" ? "danger" : "primary"}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 text-sm font-medium">What does the provider’s own panel show?</legend>
        {ways.map(([value, label, help]) => (
          <label key={value} className="flex min-h-11 items-start gap-2.5 text-sm sm:min-h-0">
            <input
              type="radio"
              name="outcome"
              value={value}
              checked={outcome === value}
              onChange={() => setOutcome(value)}
              className="mt-0.5 size-4 accent-accent"
            />
            <span>
              {label}
              <span className="block text-muted">{help}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {outcome === "accepted" && (
        <StaffField
          answer={answer}
          intent="resolve"
          name="providerOrderId"
          label="Its id there"
          initial={order.providerOrderId ?? ""}
          maxLength={64}
        />
      )}
      <ReasonField answer={answer} intent="resolve" />
    </StaffForm>
  );
}

/** Status and remains by hand, with the refund that follows from them shown before it is given. */
export function SetStatus({
  order,
  statuses,
  answer,
}: {
  order: DecidedOrder;
  statuses: readonly OrderStatus[];
  answer: StaffFormResult;
}) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [status, setStatus] = useState<string>(answer?.values?.status ?? order.status);
  const [remains, setRemains] = useState(answer?.values?.remains ?? String(order.remains));
  const left = /^\d{1,10}$/.test(remains) ? Number(remains) : 0;
  const closes = status === "Partial" || status === "Canceled";
  const refund = closes && left <= total ? refundFor({ ...order, remains: left, total }) : 0;
  return (
    <StaffForm
      intent="status"
      answer={answer}
      button={refund > 0 ? `Set to ${status}, refund ${money(refund)}` : `Set to ${status}`}
      readFields={(fields) => {
        setStatus(String(fields.get("status") ?? status));
        setRemains(String(fields.get("remains") ?? remains));
      }}
      variant={closes ? "danger" : "secondary"}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          id="status-status"
          label="Status"
          error={answer?.intent === "status" ? answer.fields?.status : undefined}
        >
          {(control) => (
            <Select {...control} name="status" value={status} onChange={(event) => setStatus(event.target.value)}>
              {statuses.map((known) => (
                <option key={known}>{known}</option>
              ))}
            </Select>
          )}
        </Field>
        <RemainsField answer={answer} intent="status" value={remains} onChange={setRemains} total={total} />
        <StaffField
          answer={answer}
          intent="status"
          name="startCount"
          label="Start count"
          optional
          initial={order.startCount ?? ""}
          inputMode="numeric"
        />
      </div>
      <ReasonField answer={answer} intent="status" />
      {order.fulfillment === "queued" && (
        <p className="text-sm text-muted">The order waits to be sent. Setting its status takes it out of the queue.</p>
      )}
    </StaffForm>
  );
}

function RemainsField({
  answer,
  intent,
  value,
  onChange,
  total,
}: {
  answer: StaffFormResult;
  intent: string;
  value: string;
  onChange: (value: string) => void;
  total: number;
}) {
  const { number } = useFormats();
  return (
    <Field
      id={`${intent}-remains`}
      label="Remains"
      help={`Of ${number(total)}, not delivered`}
      error={answer?.intent === intent ? answer.fields?.remains : undefined}
    >
      {(control) => (
        <input
          {...control}
          name="remains"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          inputMode="numeric"
          autoComplete="off"
          className="h-11 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-[16px] aria-invalid:border-bad sm:h-10 sm:text-sm"
        />
      )}
    </Field>
  );
}

export function RefundOrder({ order, answer }: { order: DecidedOrder; answer: StaffFormResult }) {
  const { money } = useFormats();
  const [amount, setAmount] = useState(answer?.values?.amount ?? decimal(order.charge, 2));
  const parsed = parseDecimal(amount);
  return (
    <StaffForm
      intent="refund"
      answer={answer}
      button={parsed ? `Refund ${money(parsed)}` : "Refund"}
      variant="danger"
      readFields={(fields) => setAmount(String(fields.get("amount") ?? amount))}
    >
      <Field
        id="refund-amount"
        label={`Amount in ${CURRENCY}`}
        help={`At most the charge, ${money(order.charge)}. Once for an order; the status stays.`}
        error={answer?.intent === "refund" ? answer.fields?.amount : undefined}
      >
        {(control) => (
          <input
            {...control}
            name="amount"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            className="h-11 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-[16px] aria-invalid:border-bad sm:h-10 sm:text-sm"
          />
        )}
      </Field>
      <ReasonField answer={answer} intent="refund" help="Kept in the audit log and with the customer’s refund." />
    </StaffForm>
  );
}

export function DecideCancellation({ order, answer }: { order: DecidedOrder; answer: StaffFormResult }) {
  const { money } = useFormats();
  const total = order.quantity * order.runs;
  const [decision, setDecision] = useState(answer?.values?.decision ?? "accept");
  const [remains, setRemains] = useState(answer?.values?.remains ?? String(order.remains));
  const left = /^\d{1,10}$/.test(remains) ? Math.min(Number(remains), total) : 0;
  const refund = money(refundFor({ ...order, remains: left, total }));
  const accepts = decision === "accept";
  return (
    <StaffForm
      intent="cancel"
      answer={answer}
      button={accepts ? `Cancel, refund ${refund}` : "Reject the request"}
      readFields={(fields) => {
        setDecision(String(fields.get("decision") ?? decision));
        setRemains(String(fields.get("remains") ?? remains));
      }}
      variant={accepts ? "danger" : "secondary"}
    >
      <Field id="cancel-decision" label="Decision">
        {(control) => (
          <Select {...control} name="decision" value={decision} onChange={(event) => setDecision(event.target.value)}>
            <option value="accept">Accept: cancel what is not delivered</option>
            <option value="reject">Reject: go on with the order</option>
          </Select>
        )}
      </Field>
      {accepts && <RemainsField answer={answer} intent="cancel" value={remains} onChange={setRemains} total={total} />}
      <ReasonField answer={answer} intent="cancel" />
    </StaffForm>
  );
}

export function DecideRefill({ refillId, answer }: { refillId: number; answer: StaffFormResult }) {
  const mine = answer?.values?.refill === String(refillId) ? answer : null;
  return (
    <StaffForm
      intent="refill"
      answer={mine}
      button={`Set refill ${refillId}`}
      variant="secondary"
      hidden={{ refill: refillId }}
    >
      <Field id={`refill-${refillId}-status`} label={`Refill ${refillId}`}>
        {(control) => (
          <Select {...control} name="status" defaultValue={mine?.values?.status ?? "In progress"}>
            <option value="In progress">In progress, by hand</option>
            <option>Completed</option>
            <option>Rejected</option>
          </Select>
        )}
      </Field>
      <ReasonField answer={mine} intent="refill" />
    </StaffForm>
  );
}
