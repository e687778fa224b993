import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useFetcher, useLoaderData } from "@remix-run/react";
import PackageSearch from "lucide-react/icons/package-search";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { ActivityCard } from "#app/console/audit/activity-card.tsx";
import { readServiceQuery } from "#app/console/catalog/services/table/service-list.server.ts";
import { readBelowCost } from "#app/console/customers/tiers/below-cost.server.ts";
import { readTier } from "#app/console/customers/tiers/tier-admin.server.ts";
import { submitTierForm, tierTexts } from "#app/console/customers/tiers/tier-admin-form.server.ts";
import { tierServiceColumns } from "#app/console/customers/tiers/tier-columns.tsx";
import { OwnRatesForm, TierForm } from "#app/console/customers/tiers/tier-forms.tsx";
import { DELETE_TIER } from "#app/console/customers/tiers/tier-intents.ts";
import { listTierServices } from "#app/console/customers/tiers/tier-services.server.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { customersText } from "#app/orders/prices/tier-customers.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const SERVICES_PER_PAGE = 100;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.tier.name ?? "Tier"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const tierId = requireId(params.id);
  const [found, history] = await Promise.all([
    readTier(context.db, tierId),
    readActivity(context.db, { subject: "tier", subjectId: String(tierId) }),
  ]);
  if (!found) throw new Response(null, { status: 404 });
  const { searchParams } = new URL(request.url);
  const query = readServiceQuery(searchParams);
  const [page, losses] = await Promise.all([
    listTierServices(context.db, found.tier, query, readCursor(searchParams), SERVICES_PER_PAGE),
    readBelowCost(context.db, found.tier),
  ]);
  const edit = beginEdit(found.tier.version, tierTexts(found.tier));
  return { ...found, history, ...page, ...query, losses: losses.count, edit };
}

export const action = staffForm({}, async ({ context, actor, params, form }) => {
  const outcome = await submitTierForm(context.db, actor, requireId(params.id), form);
  if (!outcome) throw new Response(null, { status: 404 });
  return outcome;
});

/** Reloads after a refusal: what the page shows, and the version that its forms begin from, are then those that are saved. */
export const shouldRevalidate = reloadAfterConflict;

export default function TierPage() {
  const { tier, customers, history, edit, losses, rows, next, sort, sorts, filter } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const { number } = useFormats();
  const people = `${customersText(customers, number)} ${customers === 1 ? "customer" : "customers"}`;
  const order = `${sort.descending ? "-" : ""}${sort.key}`;
  return (
    <>
      <BackLink to="/admin/tiers">Tiers</BackLink>
      <h1 className="text-2xl">{tier.name}</h1>
      <p className="mt-1 text-sm text-muted">
        {tier.kind === "percent" ? `${percentText(tier.basisPoints)} off every rate` : "Its own rates"},{" "}
        <Link to={`/admin/customers?tier=${tier.id}`} className="underline underline-offset-4">
          {people}
        </Link>
      </p>
      {losses > 0 && (
        <div className="mt-4">
          <Notice tone="bad">
            {losses === 1 ? "One service sells" : `${number(losses)} services sell`} below cost at this tier.
          </Notice>
        </div>
      )}
      <div className={`mt-6 grid items-start gap-6 ${tier.kind === "fixed" ? "lg:grid-cols-2" : ""}`}>
        <Card title="Tier" titleId="details">
          <TierForm tier={tier} edit={edit} result={result} />
          <div className="mt-4 border-t border-line pt-4">
            <DeleteTier name={tier.name} version={tier.version} people={people} />
          </div>
        </Card>
        {tier.kind === "fixed" && (
          <Card title="Set rates" titleId="rates">
            <OwnRatesForm tier={tier} result={result} />
          </Card>
        )}
      </div>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Services at this tier" titleId="services" flush>
          <DataTable
            label="Services at this tier"
            columns={tierServiceColumns(number)}
            rows={rows}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next }}
            filters={
              <ListFilters
                id="tier-services"
                search={{ value: filter.search, label: "Search", placeholder: "ID, name or category" }}
                kept={{ sort: order }}
                clearTo={filter.search === "" ? null : `?sort=${order}`}
              />
            }
            exportTo={`/admin/exports/tier-services?tier=${tier.id}`}
            empty={<EmptyState icon={PackageSearch} title="No matching services" />}
          />
        </Card>
        <ActivityCard entries={history} />
      </div>
    </>
  );
}

function DeleteTier({ name, version, people }: { name: string; version: number; people: string }) {
  const fetcher = useFetcher<FormResult>();
  return (
    <>
      {fetcher.data?.ok === false && <Notice tone="bad">{fetcher.data.message}</Notice>}
      <ConfirmButton
        sender={fetcher}
        fields={{ intent: DELETE_TIER, version: String(version) }}
        button="Delete tier"
        variant="danger"
        question={`Delete ${name}?`}
        description={`${people} then pay the usual prices. Placed orders keep their charge.`}
        confirm="Delete the tier"
        asksIdentity
      />
    </>
  );
}
