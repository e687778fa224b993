import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Form, Link, useLoaderData } from "@remix-run/react";
import Download from "lucide-react/icons/download";
import Package from "lucide-react/icons/package";
import SearchX from "lucide-react/icons/search-x";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useTimeZone } from "#app/components/formats/use-time-zone.ts";
import { Input } from "#app/components/forms/field.tsx";
import { Pager } from "#app/components/navigation/pager.tsx";
import { useCurrentInView } from "#app/components/navigation/use-current-in-view.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { cutText } from "#app/cut-text.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { oneOf, withParams } from "#app/http/requests/query-params.ts";
import { listOrderPage, ORDER_FILTERS, type OrderFilter } from "#app/orders/list/order-list.server.ts";
import { OrderTable } from "#app/orders/list/order-table.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const PATH = "/dashboard/orders";
const ORDERS_PER_PAGE = 50;
const MAX_SEARCH_CHARACTERS = 200;

export const meta: MetaFunction = () => [{ title: `Orders · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const filter = oneOf(ORDER_FILTERS, searchParams.get("status"));
  const search = cutText(searchParams.get("search")?.trim() ?? "", MAX_SEARCH_CHARACTERS);
  const before = parseId(searchParams.get("before"));
  const { between, ...days } = readDayRange(searchParams);
  const page = await listOrderPage(context.replicaDb, userId, { filter, search, before, between }, ORDERS_PER_PAGE);
  return { ...page, filters: ORDER_FILTERS, filter, search, before, days };
}

export default function Orders() {
  const { number } = useFormats();
  const { rows, next, searched, filters, filter, search, before, days } = useLoaderData<typeof loader>();
  const strip = useCurrentInView<HTMLElement>(filter);
  const { from, to } = days;
  const zone = useTimeZone(days.zone);
  const dates = { from, to, zone: from === "" && to === "" ? null : days.zone };
  const params = { status: filter === "all" ? null : filter, search, ...dates };
  const isNarrowed = filter !== "all" || search !== "" || before !== null || from !== "" || to !== "";
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Orders</h1>
        <div className="flex flex-wrap gap-2 print:hidden">
          <ButtonLink
            to={withParams(`${PATH}.csv`, { status: params.status, ...dates })}
            variant="secondary"
            reloadDocument
            data-asks-identity
          >
            <Download aria-hidden className="size-4" />
            Export CSV
          </ButtonLink>
          <ButtonLink to="/dashboard">New order</ButtonLink>
        </div>
      </div>
      <section aria-label="Orders" className="mt-6 min-w-0 overflow-clip rounded-md border border-line bg-raised">
        <div className="flex flex-col gap-2 border-b border-line p-3 sm:px-5 print:hidden">
          <nav ref={strip} aria-label="Orders by status" className="-mx-2 flex max-w-full flex-nowrap overflow-x-auto">
            {filters.map((value) => (
              <Link
                key={value}
                to={withParams(PATH, { ...params, status: value === "all" ? null : value })}
                aria-current={value === filter ? "page" : undefined}
                className="flex h-11 items-center rounded-md px-2.5 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:bg-sunken aria-[current=page]:text-text sm:h-9"
              >
                {labelOf(value)}
              </Link>
            ))}
          </nav>
          <Form role="search" className="flex w-full flex-wrap items-center gap-2">
            {params.status && <input type="hidden" name="status" value={params.status} />}
            <input type="hidden" name="zone" value={zone} />
            <Day name="from" label="From" day={from} />
            <Day name="to" label="To" day={to} />
            <Input
              key={search}
              type="search"
              name="search"
              defaultValue={search}
              maxLength={MAX_SEARCH_CHARACTERS}
              aria-label="Search orders by ID, link or other fields"
              placeholder="Order ID or link"
              className="flex-1 basis-40"
            />
            <Button type="submit" variant="secondary" className="sm:h-10">
              Search
            </Button>
          </Form>
        </div>
        {rows.length > 0 ? (
          <OrderTable orders={rows} label="Orders" />
        ) : (
          <NoOrders narrowed={isNarrowed} more={next !== null} />
        )}
        <Pager
          newest={before === null ? null : withParams(PATH, params)}
          older={next === null ? null : withParams(PATH, { ...params, before: next })}
        >
          {searched !== null && `Searched ${number(searched)} orders. There are older ones.`}
        </Pager>
      </section>
    </>
  );
}

/** A day in the reader's time zone, included in the list. Without scripts, it is a day in UTC. */
function Day({ name, label, day }: { name: string; label: string; day: string }) {
  return (
    <label
      htmlFor={`orders-${name}`}
      className="flex min-w-40 flex-1 flex-col gap-1 text-sm text-muted max-[379px]:min-w-full max-[379px]:flex-row max-[379px]:items-center max-[379px]:gap-2 sm:min-w-36 sm:flex-none sm:flex-row sm:items-center sm:gap-2"
    >
      {label}
      <Input key={day} id={`orders-${name}`} type="date" name={name} defaultValue={day} className="sm:w-38" />
    </label>
  );
}

function NoOrders({ narrowed, more }: { narrowed: boolean; more: boolean }) {
  if (!narrowed) {
    return (
      <EmptyState
        icon={Package}
        title="No orders yet"
        action={<ButtonLink to="/dashboard">Place your first order</ButtonLink>}
      >
        Orders you place here or through the API appear here with their progress.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={SearchX} title={more ? "No matches so far" : "No matching orders"}>
      {more
        ? "None of the orders searched match. Search the older ones next."
        : "Try other dates, a shorter search, another status, or the order ID."}
    </EmptyState>
  );
}

function labelOf(filter: OrderFilter): string {
  if (filter === "all") return "All";
  return filter === "open" ? "Active" : filter;
}
