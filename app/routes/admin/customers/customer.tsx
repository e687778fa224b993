import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { logName, needsSetupLink, readAccess } from "#app/accounts/staff/account-access.server.ts";
import { AccountAccessCard } from "#app/accounts/staff/account-access-card.tsx";
import { submitAccessForm } from "#app/accounts/staff/account-access-form.server.ts";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { pageOf } from "#app/components/navigation/more-link.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { ActivityCard } from "#app/console/audit/activity-card.tsx";
import { AdjustBalanceForm } from "#app/console/customers/adjust-balance-form.tsx";
import { readAdjustmentToUndo } from "#app/console/customers/adjustment-undo.server.ts";
import { readCustomer } from "#app/console/customers/customer-admin.server.ts";
import { submitAdjustmentForm } from "#app/console/customers/customer-admin-form.server.ts";
import { CustomerDetails } from "#app/console/customers/customer-details.tsx";
import { ENTRIES_LIST, listEntries, readEntryQuery } from "#app/console/customers/customer-entries.server.ts";
import { CustomerLedger } from "#app/console/customers/customer-ledger.tsx";
import { CustomerPayments } from "#app/console/customers/customer-payments.tsx";
import { readCustomerPeriods } from "#app/console/customers/customer-sales.server.ts";
import { CustomerSalesCard } from "#app/console/customers/customer-sales-card.tsx";
import { NOTES_BEFORE } from "#app/console/customers/notes/customer-note-fields.ts";
import { CustomerNotesCard } from "#app/console/customers/notes/customer-notes-card.tsx";
import { isNoteForm, submitNoteForm } from "#app/console/customers/notes/customer-notes-form.server.ts";
import { listPayments, PAYMENTS_LIST, readCustomerPaymentQuery } from "#app/console/customers/payment-list.server.ts";
import { readCustomerFacts } from "#app/console/customers/signs/customer-signs.server.ts";
import { CustomerSignsCard } from "#app/console/customers/signs/customer-signs-card.tsx";
import { readAssignedTier } from "#app/console/customers/tiers/assign-tier.server.ts";
import { submitTierAssignment } from "#app/console/customers/tiers/assign-tier-form.server.ts";
import { listTierNames } from "#app/console/customers/tiers/tier-admin.server.ts";
import { TierCard } from "#app/console/customers/tiers/tier-card.tsx";
import { ASSIGN_TIER } from "#app/console/customers/tiers/tier-intents.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { parseId, requireTextId } from "#app/http/requests/id-param.ts";
import { forgetApiKeys } from "#app/orders/api/api-keys.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES_PER_PAGE = 50;
const PAYMENTS_PER_PAGE = 10;
const NOTES_PER_PAGE = 20;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.person.email ?? "Customer"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId, role } = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const id = requireTextId(params.id);
  const [access, found, prices, money] = await Promise.all([
    readAccess(context.db, id),
    readCustomer(context.db, id, parseId(searchParams.get(NOTES_BEFORE)), NOTES_PER_PAGE),
    // Agents see no prices, no transactions and no costs, and adjust no balance.
    role === "admin" ? readPrices(context.db, id) : null,
    role === "admin" ? readMoney(context.db, id, searchParams) : null,
  ]);
  if (!found || !access) throw new Response(null, { status: 404 });
  const { person } = found;
  const viewer = { userId, role: role === "admin" ? ("admin" as const) : ("agent" as const) };
  const { rows, next } = pageOf(found.notes, NOTES_PER_PAGE, (note) => note.id);
  const notes = rows.map(({ authorId, ...note }) => ({ ...note, mayDelete: role === "admin" || authorId === userId }));
  return {
    prices,
    person,
    logName: logName(context.env, person.userId),
    access,
    needsSetupLink: needsSetupLink(context.env, access),
    viewer,
    money,
    notes: { rows: notes, next },
    once: crypto.randomUUID(),
  };
}

/** Reads a customer's tier, and all that there are. */
async function readPrices(db: LoaderFunctionArgs["context"]["db"], userId: string) {
  const [assigned, tiers] = await Promise.all([readAssignedTier(db, userId), listTierNames(db)]);
  return assigned && { assigned, tiers };
}

async function readMoney(db: LoaderFunctionArgs["context"]["db"], userId: string, searchParams: URLSearchParams) {
  const now = Date.now();
  const [entryQuery, paymentQuery] = [
    readEntryQuery(userId, searchParams),
    readCustomerPaymentQuery(userId, searchParams),
  ];
  const [history, undo, periods, facts, entries, payments] = await Promise.all([
    readActivity(db, { subject: "customer", subjectId: userId }),
    readAdjustmentToUndo(db, userId, parseId(searchParams.get("undo"))),
    readCustomerPeriods(db, userId, now),
    readCustomerFacts(db, userId, now),
    listEntries(db, entryQuery, readCursor(searchParams, ENTRIES_LIST), ENTRIES_PER_PAGE),
    listPayments(db, paymentQuery, readCursor(searchParams, PAYMENTS_LIST), PAYMENTS_PER_PAGE),
  ]);
  const stateOf = ({ sort, sorts }: typeof entryQuery | typeof paymentQuery, next: string | null) => ({
    sort,
    sorts,
    next,
  });
  return {
    history,
    undo,
    periods,
    facts,
    now,
    entries: { rows: entries.rows, state: stateOf(entryQuery, entries.next), list: ENTRIES_LIST },
    payments: { rows: payments.rows, state: stateOf(paymentQuery, payments.next), list: PAYMENTS_LIST },
  };
}

export const action = staffForm(
  { roles: ["agent", "admin"], withoutProof: isNoteForm },
  async ({ context, request, viewer, actor, params, form }) => {
    const userId = requireTextId(params.id);
    const isAdmin = viewer.role === "admin";
    if (isNoteForm(form)) return submitNoteForm(context.db, { actor, isAdmin }, userId, form);
    if (form.get("intent") === "access") {
      const outcome = await submitAccessForm(context, request, viewer, userId, form);
      if (outcome.kind === "done") await forgetApiKeys(context.db, context.env, userId);
      return outcome;
    }
    if (!isAdmin) throw new Response(null, { status: 404 });
    return form.get("intent") === ASSIGN_TIER
      ? submitTierAssignment(context.db, actor, userId, form)
      : submitAdjustmentForm(context.db, actor, userId, form);
  },
);

/**
 * Reloads after a refused assignment: the tier that the page shows, and the version that its form begins from, are then the
 * saved ones. After others it would begin the forms anew under what is being typed.
 */
export const shouldRevalidate: ShouldRevalidateFunction = (args) =>
  reloadAfterConflict(args) && (args.actionStatus !== 409 || args.formData?.get("intent") === ASSIGN_TIER);

export default function CustomerPage() {
  const { person, prices, logName, access, needsSetupLink, viewer, money, notes, once } =
    useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      {money && <BackLink to="/admin/customers">Customers</BackLink>}
      <h1 className="text-2xl break-all">{person.email}</h1>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
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
          {money?.facts && <CustomerSignsCard facts={money.facts} now={money.now} />}
          <CustomerNotesCard notes={notes.rows} next={notes.next} once={once} result={result} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Card title="Access" titleId="access">
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
              <AdjustBalanceForm once={once} undo={money.undo} result={result} />
            </Card>
          )}
          {prices && <TierCard {...prices} result={result} />}
        </div>
      </div>
      <div className="mt-6 flex flex-col gap-6 empty:hidden">
        {money && (
          <>
            <CustomerSalesCard periods={money.periods} />
            <Card title="Transactions" titleId="ledger" flush>
              <CustomerLedger
                userId={person.userId}
                entries={money.entries.rows}
                state={money.entries.state}
                list={money.entries.list}
              />
            </Card>
            <Card title="Card payments" titleId="payments" flush>
              <CustomerPayments
                userId={person.userId}
                payments={money.payments.rows}
                state={money.payments.state}
                list={money.payments.list}
              />
            </Card>
            <ActivityCard entries={money.history} />
          </>
        )}
      </div>
    </>
  );
}
