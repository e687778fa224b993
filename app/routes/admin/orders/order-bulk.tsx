import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MAX_DECIDED, proposeIds, readSelectedOrders } from "#app/console/orders/decisions/bulk-decision.server.ts";
import { BulkDecisionCard } from "#app/console/orders/decisions/bulk-decision-card.tsx";
import { submitBulkDecision } from "#app/console/orders/decisions/bulk-decision-form.server.ts";
import {
  BULK_DECISION_NAMES,
  BULK_DECISIONS,
  planDecision,
  readBulkDecision,
} from "#app/console/orders/decisions/bulk-decision-plan.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Decide on orders · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const decision = readBulkDecision(searchParams.get("decide"));
  const selected = await readSelectedOrders(context.db, searchParams);
  const plan = planDecision(selected, decision);
  const proposed = decision === "follow" ? await proposeIds(context.db, plan.rows) : {};
  const kept = selected.map(({ id }): [string, string] => ["id", String(id)]);
  const isCut = new Set(searchParams.getAll("id")).size > MAX_DECIDED;
  return { decision, plan, proposed, kept, most: isCut ? MAX_DECIDED : null, once: crypto.randomUUID() };
}

export const action = staffForm({}, ({ context, request, actor, form }) =>
  submitBulkDecision(context, actor, new URL(request.url).searchParams, form),
);

/** Reloads the preview after a refusal, so that the form has what is shown. */
export const shouldRevalidate = reloadAfterConflict;

export default function OrderBulkPage() {
  const { decision, plan, proposed, kept, most, once } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/orders?state=held">Held orders</BackLink>
      <h1 className="text-2xl">Decide on {kept.length === 1 ? "1 order" : `${kept.length} orders`}</h1>
      {kept.length === 0 ? (
        <p className="mt-4 text-sm text-muted">No order is selected. Go back and select some.</p>
      ) : (
        <div className="mt-6 flex flex-col gap-4">
          {most !== null && <p className="text-sm text-muted">Only the first {most} of your selection are shown.</p>}
          <ViewTabs
            label="Decisions"
            views={BULK_DECISIONS.map((known) => ({
              to: `?${new URLSearchParams([...kept, ["decide", known]])}`,
              label: BULK_DECISION_NAMES[known],
              current: known === decision,
            }))}
          />
          <BulkDecisionCard
            key={`${decision} ${once}`}
            plan={plan}
            decision={decision}
            proposed={proposed}
            once={once}
            result={result}
          />
        </div>
      )}
    </>
  );
}
