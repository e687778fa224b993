import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Input } from "#app/components/forms/field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { Td, Th } from "#app/components/ui/table.tsx";
import { holdReasonName } from "#app/console/orders/hold-reasons.ts";
import { ReasonField } from "#app/console/reason-field.tsx";
import {
  type BulkDecision,
  type DecisionPlan,
  LEFT_TEXTS,
  type LeftWhy,
  type SelectedOrder,
  sumsOf,
} from "./bulk-decision-plan.ts";

type Shown = { plan: DecisionPlan; decision: BulkDecision; proposed: Record<number, string> };

/** Shows what a decision does to each selected order and in sum, and makes it. */
export function BulkDecisionCard({
  plan,
  decision,
  proposed,
  once,
  result,
}: Shown & { once: string; result: FormResult | null }) {
  const { rows, left } = plan;
  const count = ordersText(rows.length);
  const seen = rows.map(({ id, updatedAt }) => `${id}:${updatedAt}`).join(",");
  const verbs: Record<BulkDecision, string> = {
    again: `Send ${count} again`,
    refund: `Cancel and refund ${count}`,
    follow: `Track ${count}`,
  };
  return (
    <Card title={verbs[decision]} titleId="plan" flush>
      <ActionForm
        intent="decide"
        asksIdentity
        result={result}
        hidden={{ decision, seen, once }}
        className="flex flex-col gap-4 p-4 sm:p-5"
      >
        {rows.length > 0 && (
          <>
            <Sums rows={rows} decision={decision} />
            <Rows rows={rows} decision={decision} proposed={proposed} />
          </>
        )}
        {whysOf(left).map(([why, ids]) => (
          <p key={why} className="text-sm text-muted">
            Left alone, {LEFT_TEXTS[why]}:{" "}
            {ids.map((id, index) => (
              <span key={id}>
                {index > 0 && ", "}
                <Link to={`/admin/orders/${id}`} className="underline underline-offset-4">
                  {id}
                </Link>
              </span>
            ))}
          </p>
        ))}
        {rows.length > 0 && (
          <div className="flex flex-col gap-4">
            <ReasonField />
            <div>
              <SubmitButton variant={decision === "refund" ? "danger" : "primary"}>{verbs[decision]}</SubmitButton>
            </div>
          </div>
        )}
      </ActionForm>
    </Card>
  );
}

function whysOf(left: DecisionPlan["left"]): [LeftWhy, number[]][] {
  const whys = [...new Set(left.map(({ why }) => why))];
  return whys.map((why) => [why, left.filter((one) => one.why === why).map(({ id }) => id)]);
}

function ordersText(count: number): string {
  return count === 1 ? "1 order" : `${count} orders`;
}

function Sums({ rows, decision }: { rows: SelectedOrder[]; decision: BulkDecision }) {
  const { number } = useFormats();
  const { charges, refunds, costs, unknown } = sumsOf(rows);
  return (
    <p className="text-sm">
      Charged <Money micro={charges} />.{" "}
      {decision === "refund" && (
        <>
          We refund <Money micro={refunds} />.{" "}
        </>
      )}
      {decision === "again" && "An order that its provider has already may be delivered twice. "}
      {costs > 0 && (
        <>
          Their providers charge <Money micro={costs} />
          {unknown > 0 && <>, and {number(unknown)} aren't known</>}.
        </>
      )}
      {costs === 0 && unknown > 0 && "What their providers charge isn't known."}
    </p>
  );
}

function Rows({
  rows,
  decision,
  proposed,
}: {
  rows: SelectedOrder[];
  decision: BulkDecision;
  proposed: Record<number, string>;
}) {
  return (
    // A group, not a landmark: the card around it is already one.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-label="Orders" data-flow className="data-table relative -mx-4 border-y border-line sm:-mx-5">
      <table className="w-full border-collapse text-left text-sm">
        <thead className="text-muted">
          <tr>
            <Th>Order</Th>
            <Th>Held because</Th>
            <Th>Customer</Th>
            <Th>Provider</Th>
            <Th numeric>Charge</Th>
            <Th numeric={decision === "refund"}>{decision === "refund" ? "Refund" : "Provider order ID"}</Th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={row.id}>
              <Td data-in-card="text">
                <Link
                  to={`/admin/orders/${row.id}`}
                  className="inline-flex min-h-11 items-center font-mono underline underline-offset-4 md:min-h-0"
                >
                  {row.id}
                </Link>
              </Td>
              <Td data-label="Held because" data-in-card="text">
                {row.heldFor === null ? "—" : holdReasonName(row.heldFor)}
              </Td>
              <Td data-label="Customer" data-in-card="line">
                {row.email ?? <span className="text-muted">Deleted account</span>}
              </Td>
              <Td data-label="Provider" data-in-card="text">
                {row.provider ?? "—"}
              </Td>
              <Td numeric data-label="Charge" data-in-card="figure">
                <Money micro={row.charge} />
              </Td>
              {decision === "refund" ? (
                <Td numeric data-label="Refund" data-in-card="figure">
                  <Money micro={row.refund} />
                </Td>
              ) : (
                <Td data-label="Provider order ID" className="py-1.5">
                  <TheirId row={row} decision={decision} proposed={proposed[row.id]} />
                </Td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The id there, or a field for it, which proposes the one that no order of ours has. */
function TheirId({
  row,
  decision,
  proposed,
}: {
  row: SelectedOrder;
  decision: BulkDecision;
  proposed: string | undefined;
}) {
  if (row.providerOrderId !== null) return <code className="font-mono">{row.providerOrderId}</code>;
  if (decision !== "follow") return <>—</>;
  return (
    <Input
      name={`theirs-${row.id}`}
      aria-label={`Provider order ID of order ${row.id}`}
      defaultValue={proposed ?? ""}
      placeholder="Empty: skipped"
      maxLength={64}
      autoComplete="off"
      className="font-mono"
    />
  );
}
