import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useLoaderData, useSearchParams } from "@remix-run/react";
import PackageSearch from "lucide-react/icons/package-search";
import { useMemo, useState } from "react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { useRowSelection } from "#app/components/table/row-selection.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { listProviderNames } from "#app/console/catalog/services/service-admin.server.ts";
import { submitCellForm } from "#app/console/catalog/services/table/service-cell-form.server.ts";
import { serviceColumns } from "#app/console/catalog/services/table/service-columns.tsx";
import { FILTER_PARAMS } from "#app/console/catalog/services/table/service-filter-names.ts";
import { ServiceFilters } from "#app/console/catalog/services/table/service-filters.tsx";
import {
  countServices,
  listServices,
  readServiceQuery,
  type ServiceRow,
} from "#app/console/catalog/services/table/service-list.server.ts";
import { MatchingServices, ServiceSelection } from "#app/console/catalog/services/table/service-selection.tsx";
import { staffAction } from "#app/console/staff-action.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { listCategories } from "#app/orders/catalog/service-categories.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const SERVICES_PER_PAGE = 100;

export const meta: MetaFunction = () => [{ title: `Services · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const { db } = context;
  const query = readServiceQuery(searchParams);
  const [page, matching, listed, providers] = await Promise.all([
    listServices(db, query, readCursor(searchParams), SERVICES_PER_PAGE),
    countServices(db, query.filter),
    listCategories(db),
    listProviderNames(db),
  ]);
  const ofNetwork = listed.filter(({ network }) => query.filter.network === null || network === query.filter.network);
  return {
    ...page,
    ...query,
    matching,
    providers,
    networks: [...new Set(listed.map(({ network }) => network))],
    categories: [...new Set(ofNetwork.map(({ category }) => category))].sort(),
  };
}

/** Saves one cell. */
export const action = staffAction({}, async ({ context, actor, form }) => {
  const result = await submitCellForm(context.db, actor, form);
  if (!result) throw new Response(null, { status: 400 });
  return data(result, { status: result.ok ? 200 : result.row && !result.asksLoss ? 409 : 400 });
});

/** A saved cell brings its row along: the others neither move nor are read again. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ formData, defaultShouldRevalidate }) =>
  formData?.get("intent") === "cell" ? false : defaultShouldRevalidate;

export default function StaffServicesPage() {
  const [params] = useSearchParams();
  // Keyed by page, so that the selection starts empty on each.
  return <ServiceList key={params.toString()} params={params} />;
}

function ServiceList({ params }: { params: URLSearchParams }) {
  const { rows, next, sort, sorts, filter, matching, networks, categories, providers } = useLoaderData<typeof loader>();
  const { number } = useFormats();
  const selection = useRowSelection();
  const [changed, setChanged] = useState<ReadonlyMap<number, ServiceRow>>(new Map());
  const [versions] = useState(() => new Map<number, number>());
  const columns = useMemo(() => {
    const onSaved = (row: ServiceRow) => setChanged((before) => new Map(before).set(row.id, row));
    return serviceColumns({ versions, onSaved }, number);
  }, [versions, number]);
  const shown = rows.map((row) => changed.get(row.id) ?? row);
  const filterParams = [...params].filter(
    ([name, value]) => value !== "" && (FILTER_PARAMS as readonly string[]).includes(name),
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-2xl">Services</h1>
        <MatchingServices filterParams={filterParams} matching={matching}>
          <ButtonLink to="/admin/services/new">Create service</ButtonLink>
        </MatchingServices>
      </div>
      <section aria-label="Services" className="mt-6 min-w-0 rounded-md border border-line bg-raised">
        <div className="lg:max-xl:overflow-x-auto">
          <DataTable
            label="Services"
            columns={columns}
            rows={shown}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next }}
            selection={selection}
            filters={(tools) => (
              <ServiceFilters
                filter={filter}
                sort={`${sort.descending ? "-" : ""}${sort.key}`}
                isFiltered={filterParams.length > 0}
                networks={networks}
                categories={categories}
                providers={providers}
                tools={tools}
              />
            )}
            exportTo="/admin/exports/services"
            empty={
              <EmptyState icon={PackageSearch} title="No matching services">
                Change the filter, create a service or import a provider's catalog.
              </EmptyState>
            }
          />
        </div>
        <ServiceSelection
          selected={selection.selected}
          isPageSelected={rows.length > 0 && rows.every(({ id }) => selection.selected.has(String(id)))}
          filterParams={filterParams}
          matching={matching}
        />
      </section>
    </>
  );
}
