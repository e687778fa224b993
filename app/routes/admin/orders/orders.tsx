import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import ListChecks from "lucide-react/icons/list-checks";
import SearchX from "lucide-react/icons/search-x";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { useRowSelection } from "#app/components/table/row-selection.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { FoundByText } from "#app/console/orders/list/found-by-text.tsx";
import { isNarrowed, OrderFilters, orderListQuery } from "#app/console/orders/list/order-filters.tsx";
import { OrderSelection } from "#app/console/orders/list/order-selection.tsx";
import { orderViewName } from "#app/console/orders/list/order-view-name.ts";
import { ORDER_VIEWS, type OrderView } from "#app/console/orders/list/order-views.server.ts";
import { type ShownOrder, staffOrderColumns } from "#app/console/orders/list/staff-order-columns.tsx";
import { countWaiting } from "#app/console/orders/list/staff-order-list.server.ts";
import {
  listStaffOrderPage,
  readFilterChoices,
  readStaffOrderQuery,
} from "#app/console/orders/list/staff-order-page.server.ts";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { readCursor } from "#app/http/lists/list-query.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Orders · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const { shown, orderId, query } = await readStaffOrderQuery(context.db, searchParams);
  if (orderId !== null) throw redirect(`/admin/orders/${orderId}`);
  const [{ rows, next }, counts, choices] = await Promise.all([
    query ? listStaffOrderPage(context.db, query, readCursor(searchParams), ORDERS_PER_PAGE) : { rows: [], next: null },
    countWaiting(context.db),
    readFilterChoices(context.db, shown.filter),
  ]);
  const isAdmin = role === "admin";
  const ofRole: ShownOrder[] = isAdmin ? rows : rows.map(({ cost: _, ...row }) => row);
  return { rows: ofRole, next, ...shown, ...choices, views: ORDER_VIEWS, counts, isNotFound: query === null, isAdmin };
}

export default function StaffOrders() {
  const { filter, search, days } = useLoaderData<typeof loader>();
  // Keyed by the filter, so that a selection goes on over the pages of one list and no further.
  return <OrderList key={orderListQuery({ filter, search, days }, {})} />;
}

function OrderList() {
  const shown = useLoaderData<typeof loader>();
  const selection = useRowSelection();
  const { rows, next, sort, sorts, views, counts, filter, search, days, found, isNotFound, isAdmin } = shown;
  const { providers, serviceName } = shown;
  const { view } = filter;
  const narrowing = { filter, search: isNotFound ? "" : search, days };
  const canDecide = isAdmin && rows.some(({ fulfillment }) => fulfillment === "held");
  const isAnything = search === "" && !isNarrowed(narrowing);
  // The counts are of everybody's orders.
  const waiting: Partial<Record<OrderView, number>> = isAnything ? { held: counts.held, manual: counts.manual } : {};
  return (
    <>
      <h1 className="text-2xl">Orders</h1>
      <div className="mt-6 flex flex-col gap-4">
        {found && <FoundByText found={found} search={search} />}
        <ViewTabs
          label="Orders by status"
          views={views.map((state) => ({
            to: orderListQuery(narrowing, { state }),
            label: orderViewName(state),
            current: state === view,
            count: waiting[state],
          }))}
        />
        <section aria-label="Orders" className="min-w-0 rounded-md border border-line bg-raised">
          <div className="md:max-xl:overflow-x-auto">
            <DataTable
              label="Orders"
              columns={staffOrderColumns(useFormats(), { withCosts: isAdmin })}
              rows={rows}
              rowKey={({ id }) => id}
              state={{ sort, sorts, next }}
              {...(canDecide && { selection })}
              nextName={rows.length < ORDERS_PER_PAGE ? "Look further back" : undefined}
              filters={(tools) => (
                <OrderFilters
                  filter={filter}
                  search={search}
                  days={days}
                  providers={providers}
                  serviceName={serviceName}
                  tools={tools}
                />
              )}
              {...(isAdmin && { exportTo: "/admin/exports/orders" })}
              empty={
                isNotFound ? (
                  <NothingFound search={search} />
                ) : (
                  <NoOrders view={view} isAnything={isAnything} hasMore={next !== null} search={found && search} />
                )
              }
            />
          </div>
          {canDecide && <OrderSelection selected={selection.selected} />}
        </section>
      </div>
    </>
  );
}

function NothingFound({ search }: { search: string }) {
  return (
    <EmptyState icon={SearchX} title={`Nothing found for “${search}”`}>
      Search for an order or provider ID, a link, a reference, or a part of a customer's name or email.
    </EmptyState>
  );
}

type Missing = { view: OrderView; isAnything: boolean; hasMore: boolean; search: string | null };

/** Says what is true: that nothing waits, that nothing matches, or that not all was looked through. */
function NoOrders({ view, isAnything, hasMore, search }: Missing) {
  if (hasMore) {
    return (
      <EmptyState icon={ListChecks} title="None found so far">
        Such orders are rare. Look further back for older ones.
      </EmptyState>
    );
  }
  if (isAnything && view === "held") {
    return (
      <EmptyState icon={ListChecks} title="No held orders">
        Orders appear here when their provider hasn't confirmed them and you need to decide.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={ListChecks}
      title={search === null ? "No orders here" : `None of the orders of “${search}” match`}
    >
      Choose another status or fewer filters{search === null ? ", or search for an order." : "."}{" "}
      {search !== null && (
        <Link to={`?${new URLSearchParams({ q: search })}`} className="underline underline-offset-4">
          Show all of them
        </Link>
      )}
    </EmptyState>
  );
}
