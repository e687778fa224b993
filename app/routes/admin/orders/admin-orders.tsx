import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import ListChecks from "lucide-react/icons/list-checks";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { SearchForm } from "#app/components/forms/search-form.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { orderViewName } from "#app/orders/staff/orders/order-view-name.ts";
import {
  countWaiting,
  findOrderOrCustomer,
  listStaffOrders,
  ORDER_VIEWS,
  type OrderView,
} from "#app/orders/staff/orders/staff-order-list.server.ts";
import { StaffOrderTable } from "#app/orders/staff/orders/staff-order-table.tsx";
import { ViewTabs } from "#app/orders/staff/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Orders · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const search = searchParams.get("q")?.trim() ?? "";
  const found = search === "" ? null : await findOrderOrCustomer(context.db, search);
  if (found?.kind === "order") throw redirect(`/admin/orders/${found.orderId}`);
  const userId = found?.kind === "customer" ? found.userId : null;
  const wanted = searchParams.get("state");
  // One customer's orders start with all of them; the general list starts with those that wait for a person.
  const view = ORDER_VIEWS.find((known) => known === wanted) ?? (userId ? "all" : "held");
  const before = parseId(searchParams.get("before"));
  const [rows, counts] = await Promise.all([
    search !== "" && !found ? [] : listStaffOrders(context.db, { view, userId, before }, ORDERS_PER_PAGE),
    countWaiting(context.db),
  ]);
  const { rows: orders, next } = pageOf(rows, ORDERS_PER_PAGE, ({ id }) => id);
  return { orders, next, view, views: ORDER_VIEWS, counts, search, isNotFound: search !== "" && !found };
}

export default function StaffOrders() {
  const { orders, next, view, views, counts, search, isNotFound } = useLoaderData<typeof loader>();
  const to = (state: string) => `?${new URLSearchParams({ ...(search && !isNotFound && { q: search }), state })}`;
  const waiting: Partial<Record<OrderView, number>> = { held: counts.held, manual: counts.manual };
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h1 className="text-2xl">Orders</h1>
        <SearchForm id="order-search" search={search} placeholder="Order or provider ID, or email" />
      </div>
      <div className="mt-6 flex flex-col gap-4">
        {isNotFound && <Notice tone="bad">No results for “{search}”. Enter a full order ID or email address.</Notice>}
        {search && !isNotFound && (
          <p className="text-sm text-muted">
            Orders of <b className="font-medium text-text">{search}</b>.{" "}
            <Link to="/admin/orders" className="underline underline-offset-4 hover:text-text">
              All customers
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
        <section aria-label="Orders" className="overflow-clip rounded-md border border-line bg-raised">
          {orders.length === 0 ? (
            <EmptyState icon={ListChecks} title={view === "held" ? "No held orders" : "No orders here"}>
              {view === "held"
                ? "Orders appear here when their provider hasn't confirmed them and you need to decide."
                : "Choose another status, or search for an order by its ID."}
            </EmptyState>
          ) : (
            <StaffOrderTable orders={orders} />
          )}
          <MoreLink name="before" next={next} />
        </section>
      </div>
    </>
  );
}
