import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
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
import { readAdjustmentToUndo } from "#app/orders/staff/customers/adjustment-undo.server.ts";
import { readCustomer } from "#app/orders/staff/customers/customer-admin.server.ts";
import { submitAdjustmentForm } from "#app/orders/staff/customers/customer-admin-form.server.ts";
import { CustomerDetails } from "#app/orders/staff/customers/customer-details.tsx";
import { CustomerLedger } from "#app/orders/staff/customers/customer-ledger.tsx";
import { CustomerPayments } from "#app/orders/staff/customers/customer-payments.tsx";
import { readAssignedTier } from "#app/orders/staff/tiers/assign-tier.server.ts";
import { submitTierAssignment } from "#app/orders/staff/tiers/assign-tier-form.server.ts";
import { listTiers } from "#app/orders/staff/tiers/tier-admin.server.ts";
import { TierCard } from "#app/orders/staff/tiers/tier-card.tsx";
import { ASSIGN_TIER } from "#app/orders/staff/tiers/tier-intents.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES_PER_PAGE = 50;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.person.email ?? "Customer"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId, role } = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const before = parseId(searchParams.get("before"));
  const id = requireTextId(params.id);
  const [access, prices, found] = await Promise.all([
    readAccess(context.db, id),
    // Agents see no prices.
    role === "admin" ? readPrices(context.db, id) : null,
    readCustomer(context.db, id, before, ENTRIES_PER_PAGE),
  ]);
  if (!found || !access) throw new Response(null, { status: 404 });
  const { person, entries, payments, history } = found;
  const viewer = { userId, role: role === "admin" ? ("admin" as const) : ("agent" as const) };
  // Agents see no transactions, and adjust no balance.
  const money =
    role === "admin" ? { ledger: pageOf(entries, ENTRIES_PER_PAGE, ({ id }) => id), payments, history } : null;
  const undo = money && (await readAdjustmentToUndo(context.db, id, parseId(searchParams.get("undo"))));
  return {
    prices,
    person,
    logName: logName(context.env, person.userId),
    access,
    needsSetupLink: needsSetupLink(context.env, access),
    viewer,
    money,
    undo,
    once: crypto.randomUUID(),
  };
}

/** Reads a customer's tier, and all that there are. */
async function readPrices(db: LoaderFunctionArgs["context"]["db"], userId: string) {
  const [assigned, tiers] = await Promise.all([readAssignedTier(db, userId), listTiers(db)]);
  return assigned && { assigned, tiers: tiers.map(({ id, name }) => ({ id, name })) };
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
  const isTier = form.get("intent") === ASSIGN_TIER;
  return respondToForm(
    request,
    await asStaff(request, viewer, (actor) =>
      isTier
        ? submitTierAssignment(context.db, actor, userId, form)
        : submitAdjustmentForm(context.db, actor, userId, form),
    ),
  );
}

/** Reloads after a refusal: the tier that the page shows, and the version that its form begins from, are then the saved ones. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  defaultShouldRevalidate || actionStatus === 409;

export default function CustomerPage() {
  const { person, prices, logName, access, needsSetupLink, viewer, money, undo, once } = useLoaderData<typeof loader>();
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
            <AdjustBalanceForm once={once} undo={undo} result={result} />
          </Card>
        )}
        {prices && <TierCard {...prices} result={result} />}
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
