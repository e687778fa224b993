import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import Receipt from "lucide-react/icons/receipt";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { logName, needsSetupLink, readAccess } from "#app/accounts/staff/account-access.server.ts";
import { AccountAccessCard } from "#app/accounts/staff/account-access-card.tsx";
import { submitAccessForm } from "#app/accounts/staff/account-access-form.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId, requireTextId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { forgetApiKeys } from "#app/orders/api/api-keys.server.ts";
import { ActivityCard } from "#app/orders/staff/audit/activity-card.tsx";
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
  const { userId, role } = await requireRole(request, context, "agent", "admin");
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const id = requireTextId(params.id);
  const [access, found] = await Promise.all([
    readAccess(context.db, id),
    readCustomer(context.db, id, before, ENTRIES_PER_PAGE),
  ]);
  if (!found || !access) throw new Response(null, { status: 404 });
  const { person, entries, payments, history } = found;
  const viewer = { userId, role: role === "admin" ? ("admin" as const) : ("agent" as const) };
  // Agents see no transactions, and adjust no balance.
  const money =
    role === "admin" ? { ledger: pageOf(entries, ENTRIES_PER_PAGE, ({ id }) => id), payments, history } : null;
  return {
    person,
    logName: logName(context.env, person.userId),
    access,
    needsSetupLink: needsSetupLink(context.env, access),
    viewer,
    money,
    once: crypto.randomUUID(),
  };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "agent", "admin");
  requireRecentProof(request, viewer);
  const userId = requireTextId(params.id);
  if (form.get("intent") === "access") {
    const outcome = await submitAccessForm(context, request, viewer, userId, form);
    if (outcome.kind === "done") await forgetApiKeys(context.db, context.env, userId);
    return respondToForm(request, outcome);
  }
  if (viewer.role !== "admin") throw new Response(null, { status: 404 });
  return respondToForm(
    request,
    await asStaff(request, viewer, (actor) => submitAdjustmentForm(context.db, actor, userId, form)),
  );
}

export default function CustomerPage() {
  const { person, logName, access, needsSetupLink, viewer, money, once } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  return (
    <>
      {money && <BackLink to="/admin/customers">Customers</BackLink>}
      <h1 className="text-2xl break-all">{person.email}</h1>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <CustomerDetails person={person} logName={logName} />
          <ButtonLink
            to={`/admin/orders?${new URLSearchParams({ q: person.email })}`}
            variant="secondary"
            className="mt-4"
          >
            View orders
          </ButtonLink>
        </Card>
        <Card title="Access" titleId="access" className="lg:row-span-2">
          <AccountAccessCard
            access={access}
            needsSetupLink={needsSetupLink}
            viewer={viewer}
            once={once}
            result={result}
          />
        </Card>
        {money && (
          <Card title="Adjust balance" titleId="adjust">
            <AdjustBalanceForm once={once} result={result} />
          </Card>
        )}
      </div>
      {money && (
        <div className="mt-6 flex flex-col gap-6">
          <Card title="Transactions" titleId="ledger" flush>
            {money.ledger.rows.length === 0 ? (
              <EmptyState icon={Receipt} title="No transactions yet" />
            ) : (
              <CustomerLedger entries={money.ledger.rows} />
            )}
            <MoreLink name="before" next={money.ledger.next} />
          </Card>
          {money.payments.length > 0 && (
            <Card title="Card payments" titleId="payments" flush>
              <CustomerPayments payments={money.payments} />
            </Card>
          )}
          <ActivityCard entries={money.history} />
        </div>
      )}
    </>
  );
}
