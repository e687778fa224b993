import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import Receipt from "lucide-react/icons/receipt";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId, requireTextId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { ActivityCard } from "#app/orders/staff/activity-card.tsx";
import { AdjustBalanceForm } from "#app/orders/staff/customers/adjust-balance-form.tsx";
import { readCustomer } from "#app/orders/staff/customers/customer-admin.server.ts";
import { submitAdjustmentForm } from "#app/orders/staff/customers/customer-admin-form.server.ts";
import { CustomerDetails } from "#app/orders/staff/customers/customer-details.tsx";
import { CustomerLedger } from "#app/orders/staff/customers/customer-ledger.tsx";
import { CustomerPayments } from "#app/orders/staff/customers/customer-payments.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES_PER_PAGE = 50;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.person.email ?? "Customer"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const found = await readCustomer(context.db, requireTextId(params.id), before, ENTRIES_PER_PAGE);
  if (!found) throw new Response(null, { status: 404 });
  const { entries, ...rest } = found;
  return { ...rest, ledger: pageOf(entries, ENTRIES_PER_PAGE, ({ id }) => id), once: crypto.randomUUID() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  requireRecentProof(request, viewer);
  const userId = requireTextId(params.id);
  const outcome = await submitAdjustmentForm(context.db, actorOf(viewer), userId, await readForm(request));
  return respondToForm(request, outcome);
}

export default function CustomerPage() {
  const { person, ledger, payments, history, once } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/customers">Customers</BackLink>
      <h1 className="text-2xl break-all">{person.email}</h1>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <CustomerDetails person={person} />
          <ButtonLink
            to={`/admin/orders?${new URLSearchParams({ q: person.email })}`}
            variant="secondary"
            className="mt-4"
          >
            View orders
          </ButtonLink>
        </Card>
        <Card title="Adjust balance" titleId="adjust">
          <AdjustBalanceForm once={once} result={result} />
        </Card>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Transactions" titleId="ledger" flush>
          {ledger.rows.length === 0 ? (
            <EmptyState icon={Receipt} title="No transactions yet" />
          ) : (
            <CustomerLedger entries={ledger.rows} />
          )}
          <MoreLink name="before" next={ledger.next} />
        </Card>
        {payments.length > 0 && (
          <Card title="Card payments" titleId="payments" flush>
            <CustomerPayments payments={payments} />
          </Card>
        )}
        <ActivityCard entries={history} />
      </div>
    </>
  );
}
