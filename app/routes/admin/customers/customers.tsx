import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Users from "lucide-react/icons/users";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { CUSTOMER_COLUMNS } from "#app/console/customers/customer-columns.tsx";
import { listCustomers, readCustomerQuery } from "#app/console/customers/customer-list.server.ts";
import { CUSTOMER_VIEW_NAMES, CUSTOMER_VIEWS } from "#app/console/customers/customer-views.ts";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { readCursor } from "#app/http/lists/list-query.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const CUSTOMERS_PER_PAGE = 50;
const EMPTY_TITLES = { all: "No matching customers", owing: "Nobody here owes anything", team: "No team members" };

export const meta: MetaFunction = () => [{ title: `Customers · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const { between, ...query } = readCustomerQuery(searchParams);
  const page = await listCustomers(context.db, { ...query, between }, readCursor(searchParams), CUSTOMERS_PER_PAGE);
  return { ...page, ...query };
}

export default function Customers() {
  const { rows, next, tiers, tierId, sort, sorts, search, days, view } = useLoaderData<typeof loader>();
  const isTier = tierId !== null;
  const isFiltered = search !== "" || days.from !== "" || days.to !== "";
  return (
    <>
      <h1 className="text-2xl">Customers</h1>
      <div className="mt-6">
        <ViewTabs
          label="Customers by kind"
          views={[
            ...CUSTOMER_VIEWS.map((one) => ({
              to: one === "all" ? "?" : `?view=${one}`,
              label: CUSTOMER_VIEW_NAMES[one],
              current: one === view && !isTier,
            })),
            ...tiers.map(({ id, name }) => ({ to: `?tier=${id}`, label: `Tier: ${name}`, current: id === tierId })),
          ]}
        />
      </div>
      <section aria-label="Customers" className="mt-4 min-w-0 rounded-md border border-line bg-raised">
        <DataTable
          label="Customers"
          columns={CUSTOMER_COLUMNS}
          rows={rows}
          rowKey={({ userId }) => userId}
          state={{ sort, sorts, next }}
          filters={
            <ListFilters
              id="customers"
              search={{ value: search, label: "Search", placeholder: "Part of a name or email" }}
              {...(view === "all" && !isTier && { days })}
              clearTo={isFiltered ? "?" : null}
            />
          }
          exportTo="/admin/exports/customers"
          empty={
            <EmptyState icon={Users} title={isTier ? "This tier has no customers" : EMPTY_TITLES[view]}>
              {isTier && "Assign it on a customer's page."}
              {view === "all" &&
                !isTier &&
                "Search by any part of a name or email. One or two characters find the emails that start with them."}
            </EmptyState>
          }
        />
      </section>
    </>
  );
}
