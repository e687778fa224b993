import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import CreditCard from "lucide-react/icons/credit-card";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { listPayments, PAYMENT_VIEWS } from "#app/orders/staff/customers/payment-admin.server.ts";
import { PAYMENT_VIEW_NAMES } from "#app/orders/staff/customers/payment-view-names.ts";
import { ViewTabs } from "#app/orders/staff/view-tabs.tsx";
import { PaymentState, receivedText } from "#app/orders/top-up/payment-state.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const PAYMENTS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Payments · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const view = PAYMENT_VIEWS.find((known) => known === searchParams.get("state")) ?? "review";
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(searchParams.get("before") ?? "") ?? [];
  const before = createdAt && id ? { createdAt: Number(createdAt), id } : null;
  const rows = await listPayments(context.db, view, before, PAYMENTS_PER_PAGE);
  return { ...pageOf(rows, PAYMENTS_PER_PAGE, (row) => `${row.createdAt}.${row.id}`), view, views: PAYMENT_VIEWS };
}

export default function Payments() {
  const formats = useFormats();
  const { rows, next, view, views } = useLoaderData<typeof loader>();
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
        <Card title={PAYMENT_VIEW_NAMES[view]} titleId="payments" flush>
          {rows.length === 0 ? (
            <EmptyState icon={CreditCard} title={view === "review" ? "No payments in review" : "No payments here"}>
              {view === "review" &&
                "Mismatched payments appear here: another currency, or an amount outside the top-up limits."}
            </EmptyState>
          ) : (
            <Table
              label="Payments"
              head={
                <>
                  <Th>Started</Th>
                  <Th>Customer</Th>
                  <Th>Status</Th>
                  <Th numeric>Amount</Th>
                  <Th numeric>Received</Th>
                  <Th numeric>Credited</Th>
                </>
              }
            >
              {rows.map((row) => (
                <tr key={row.id}>
                  <Td>
                    <Link
                      to={`/admin/payments/${row.id}`}
                      className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
                    >
                      <RelativeDate at={row.createdAt} />
                    </Link>
                  </Td>
                  <Td className="max-w-64 truncate" title={row.email ?? undefined}>
                    {row.email ?? "Deleted account"}
                  </Td>
                  <Td>
                    <PaymentState payment={row} />
                  </Td>
                  <Td numeric>
                    <Money micro={row.amount} />
                  </Td>
                  <Td numeric>{receivedText(row, formats)}</Td>
                  <Td numeric>{row.paid === null ? "—" : <Money micro={row.paid} />}</Td>
                </tr>
              ))}
            </Table>
          )}
          <MoreLink name="before" next={next} />
        </Card>
      </div>
    </>
  );
}
