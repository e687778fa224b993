import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import CreditCard from "lucide-react/icons/credit-card";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { paymentColumns } from "#app/console/customers/payment-columns.tsx";
import {
  listPayments,
  PAYMENT_VIEWS,
  type PaymentView,
  readPaymentQuery,
} from "#app/console/customers/payment-list.server.ts";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { readCursor } from "#app/http/lists/list-query.ts";
import { PRODUCT_NAME } from "#app/product.ts";

/** Names of the views of payments that staff choose from. */
const PAYMENT_VIEW_NAMES: Record<PaymentView, string> = {
  review: "In review",
  reversed: "Reversed",
  all: "All",
};

const PAYMENTS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Payments · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const { between, ...query } = readPaymentQuery(searchParams);
  const page = await listPayments(context.db, { ...query, between }, readCursor(searchParams), PAYMENTS_PER_PAGE);
  return { ...page, ...query, views: PAYMENT_VIEWS };
}

export default function Payments() {
  const { rows, next, sort, sorts, view, views, days } = useLoaderData<typeof loader>();
  const hasDays = days.from !== "" || days.to !== "";
  return (
    <>
      <h1 className="text-2xl">Payments</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        Card payments through Stripe. Mismatched payments stay in review until you credit or refuse them.
      </p>
      <div className="mt-6 flex flex-col gap-4">
        <ViewTabs
          label="Payments by status"
          views={views.map((state) => ({
            to: `?state=${state}`,
            label: PAYMENT_VIEW_NAMES[state],
            current: state === view,
          }))}
        />
        <section aria-label="Payments" className="min-w-0 rounded-md border border-line bg-raised">
          <DataTable
            label="Payments"
            columns={paymentColumns(useFormats())}
            rows={rows}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next }}
            filters={
              <ListFilters
                id="payments"
                days={days}
                kept={{ state: view }}
                clearTo={hasDays ? `?state=${view}` : null}
              />
            }
            exportTo="/admin/exports/payments"
            empty={
              <EmptyState icon={CreditCard} title={view === "review" ? "No payments in review" : "No payments here"}>
                {view === "review" &&
                  "Mismatched payments appear here: another currency, or an amount outside the top-up limits."}
              </EmptyState>
            }
          />
        </section>
      </div>
    </>
  );
}
