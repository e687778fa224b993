import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ComparisonCard } from "#app/console/orders/decisions/comparison-card.tsx";
import { statusTexts, submitOrderForm } from "#app/console/orders/decisions/order-admin-form.server.ts";
import { allowedForms, OrderForms } from "#app/console/orders/decisions/staff-order-forms.tsx";
import { OrderState } from "#app/console/orders/order-state.tsx";
import { HeldEvidenceCard } from "#app/console/orders/timeline/held-evidence-card.tsx";
import { ORDER_STATUS_NAMES, readStaffOrder, shownTo } from "#app/console/orders/timeline/staff-order.server.ts";
import { StaffOrderDetails } from "#app/console/orders/timeline/staff-order-details.tsx";
import { TimelineCard } from "#app/console/orders/timeline/timeline-card.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { ownValue } from "#app/own-value.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `Order ${shown?.order.id ?? ""} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const found = await readStaffOrder(context.db, requireId(params.id));
  if (!found) throw new Response(null, { status: 404 });
  const isAdmin = role === "admin";
  const shown = shownTo(isAdmin ? "admin" : "agent", found);
  const edit = beginEdit(shown.order.updatedAt, statusTexts(shown.order));
  return { ...shown, edit, isAdmin, statuses: ORDER_STATUS_NAMES };
}

export const action = staffForm(
  // Comparing asks the provider and changes nothing.
  { withoutProof: (form) => form.get("intent") === "compare" },
  ({ context, actor, params, form }) => submitOrderForm(context, actor, requireId(params.id), form),
);

/** Reloads the order after a conflict, so that the page shows its current state. */
export const shouldRevalidate = reloadAfterConflict;

export default function StaffOrderPage() {
  const shown = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const { order, provider, isAdmin, statuses } = shown;
  const canCompare = isAdmin && provider !== null && order.providerOrderId !== null;
  const allowed: Record<string, boolean> = {
    ...allowedForms(shown),
    compare: canCompare,
    "apply-compared": canCompare,
  };
  return (
    <>
      <BackLink to="/admin/orders">Orders</BackLink>
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-2xl">Order {order.id}</h1>
        <OrderState status={order.status} fulfillment={order.fulfillment} />
      </div>
      {result?.message && !ownValue(allowed, result.intent) && (
        <div className="mt-4 max-w-xl">
          <Notice tone="bad">{result.message}</Notice>
        </div>
      )}
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <div className="flex flex-col gap-6">
          <Card title="Details" titleId="details">
            <StaffOrderDetails shown={shown} isAdmin={isAdmin} />
          </Card>
          {shown.evidence && (
            <HeldEvidenceCard evidence={shown.evidence} provider={shown.provider?.name ?? "The provider"} />
          )}
        </div>
        {isAdmin && (
          <div className="flex flex-col gap-6">
            {canCompare && <ComparisonCard provider={provider.name} result={result} />}
            <OrderForms shown={shown} statuses={statuses} result={result} />
          </div>
        )}
      </div>
      <TimelineCard timeline={shown.timeline} />
    </>
  );
}
