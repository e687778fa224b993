import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import Printer from "lucide-react/icons/printer";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Mark } from "#app/components/ui/mark.tsx";
import { requireId } from "#app/http/requests/id-param.ts";
import { KIND_NAMES } from "#app/orders/wallet/ledger-table.tsx";
import { readTransaction } from "#app/orders/wallet/transactions.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ params }) => [{ title: `Receipt ${params.id} · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const viewer = await requireViewer(request, context);
  const id = requireId(params.id);
  const entry = await readTransaction(context.db, viewer.userId, id);
  if (!entry) throw data(null, 404);
  return { entry, customer: { name: viewer.fullName, email: viewer.email } };
}

/** A receipt for one ledger entry. Only the receipt itself is printed. */
export default function TransactionReceipt() {
  // Exact: a receipt may be read on paper.
  const { exactMoney, number } = useFormats();
  const { entry, customer } = useLoaderData<typeof loader>();
  const { order } = entry;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        <Link
          to="/dashboard/transactions"
          className="inline-flex h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-text sm:h-6"
        >
          Transactions
        </Link>
        <Button variant="secondary" onClick={() => window.print()} className="noscript:hidden">
          <Printer aria-hidden className="size-4" />
          Print
        </Button>
      </div>
      <article
        data-print
        aria-labelledby="receipt"
        className="mt-4 max-w-2xl rounded-md border border-line bg-raised p-5 text-sm sm:p-8"
      >
        <header className="flex flex-wrap items-start justify-between gap-4">
          <h1 id="receipt" className="text-2xl">
            Receipt {entry.id}
          </h1>
          <span className="flex items-center gap-2 font-semibold">
            <Mark className="size-5" />
            {PRODUCT_NAME}
          </span>
        </header>
        <dl className="mt-6">
          <Line label="Customer">
            {customer.name && <span className="block">{customer.name}</span>}
            {customer.email}
          </Line>
          <Line label="Date">{new Date(entry.createdAt).toISOString().slice(0, 19).replace("T", " ")} UTC</Line>
          <Line label="Description">
            {KIND_NAMES[entry.kind]}
            {order && ` for order ${order.id}`}
            {entry.note && `: ${entry.note}`}
          </Line>
          {order && (
            <>
              <Line label="Service">
                {entry.service} ({order.serviceId})
              </Line>
              <Line label="Quantity">
                {number(order.quantity)}
                {order.runs > 1 && `, ${order.runs} times`}
              </Line>
              {order.link && (
                <Line label="Link">
                  <span className="break-all">{order.link}</span>
                </Line>
              )}
            </>
          )}
          <Line label="Balance after">
            <span className="tabular">{exactMoney(entry.balanceAfter)}</span>
          </Line>
        </dl>
        <p className="mt-6 flex items-baseline justify-between gap-4">
          <span className="font-medium">
            {entry.amount >= 0
              ? "Added to balance"
              : entry.kind === "charge"
                ? "Charged to balance"
                : "Deducted from balance"}
          </span>
          <span className="tabular text-2xl font-semibold">
            {exactMoney(Math.abs(entry.amount))} {CURRENCY}
          </span>
        </p>
      </article>
    </>
  );
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="grid gap-x-4 border-b border-line py-2.5 sm:grid-cols-[160px_1fr]">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
