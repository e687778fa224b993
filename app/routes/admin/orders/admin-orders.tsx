import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import ListChecks from "lucide-react/icons/list-checks";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { readCursor } from "#app/http/lists/list-query.ts";
import { orderViewName } from "#app/orders/staff/orders/list/order-view-name.ts";
import { staffOrderColumns } from "#app/orders/staff/orders/list/staff-order-columns.tsx";
import { countWaiting, ORDER_VIEWS, type OrderView } from "#app/orders/staff/orders/list/staff-order-list.server.ts";
import { listStaffOrderPage, readStaffOrderQuery } from "#app/orders/staff/orders/list/staff-order-page.server.ts";
import { ViewTabs } from "#app/orders/staff/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Orders · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const { shown, orderId, query } = await readStaffOrderQuery(context.db, searchParams);
  if (orderId !== null) throw redirect(`/admin/orders/${orderId}`);
  const [page, counts] = await Promise.all([
    query ? listStaffOrderPage(context.db, query, readCursor(searchParams), ORDERS_PER_PAGE) : { rows: [], next: null },
    countWaiting(context.db),
  ]);
  return { ...page, ...shown, views: ORDER_VIEWS, counts, isNotFound: query === null, canExport: role === "admin" };
}

export default function StaffOrders() {
  const { rows, next, sort, sorts, view, views, days, counts, search, isOfCustomer, isNotFound, canExport } =
    useLoaderData<typeof loader>();
  const to = (state: string) => `?${new URLSearchParams({ ...(isFound && { q: search }), state })}`;
  const hasDays = days.from !== "" || days.to !== "";
  const isFound = search !== "" && !isNotFound;
  const isHeldEmpty = view === "held" && !hasDays && search === "";
  // The counts are of everybody's orders.
  const waiting: Partial<Record<OrderView, number>> = isFound ? {} : { held: counts.held, manual: counts.manual };
  return (
    <>
      <h1 className="text-2xl">Orders</h1>
      <div className="mt-6 flex flex-col gap-4">
        {isNotFound && <Notice tone="bad">No results for “{search}”. Enter a full order ID or email address.</Notice>}
        {isFound && (
          <p className="text-sm text-muted">
            {isOfCustomer ? "Orders of" : "Orders with the ID, here or at a provider,"}{" "}
            <b className="font-medium text-text">{search}</b>.{" "}
            <Link to="/admin/orders" className="underline underline-offset-4 hover:text-text">
              All orders
            </Link>
          </p>
        )}
        <ViewTabs
          label="Orders by status"
          views={[
            ...views.map((state) => ({
              to: to(state),
              label: orderViewName(state),
              current: state === view,
              count: waiting[state],
            })),
            {
              to: "/admin/orders/requests",
              label: "Refills and cancellations",
              current: false,
              count: counts.refills + counts.cancellations,
            },
          ]}
        />
        <section aria-label="Orders" className="min-w-0 rounded-md border border-line bg-raised">
          <DataTable
            label="Orders"
            columns={staffOrderColumns(useFormats())}
            rows={rows}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next }}
            filters={
              <ListFilters
                id="orders"
                search={{ value: search, label: "Search", placeholder: "Order or provider ID, or email" }}
                days={days}
                kept={{ state: search === "" ? view : null }}
                clearTo={hasDays || search !== "" ? `?state=${view}` : null}
              />
            }
            {...(canExport && { exportTo: "/admin/exports/orders" })}
            empty={
              <EmptyState icon={ListChecks} title={isHeldEmpty ? "No held orders" : "No orders here"}>
                {isHeldEmpty
                  ? "Orders appear here when their provider hasn't confirmed them and you need to decide."
                  : next !== null
                    ? "Such orders are rare. The next page looks through the ones that follow."
                    : "Choose another status or other days, or search for an order by its ID."}
              </EmptyState>
            }
          />
        </section>
      </div>
    </>
  );
}
