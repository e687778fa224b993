import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useFetcher, useLoaderData } from "@remix-run/react";
import Package from "lucide-react/icons/package";
import type { ReactNode } from "react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { readForm } from "#app/http/requests/read-form.ts";
import { OrderRows } from "#app/orders/list/order-table.tsx";
import { useLiveOrders } from "#app/orders/list/use-live-orders.ts";
import { NewOrderSection } from "#app/orders/placing/new-order-section.tsx";
import { readOrderForm, readSentOffer } from "#app/orders/placing/order-form-data.server.ts";
import { ORDER_FORM_LIMIT, placeFromForm } from "#app/orders/placing/place-order-form.server.ts";
import { readShownWallet } from "#app/orders/wallet/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_SHOWN = 10;

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const [shown, { balance }] = await Promise.all([
    readOrderForm({ db: context.replicaDb, env: context.env }, userId, searchParams, ORDERS_SHOWN),
    readShownWallet(context.db, userId),
  ]);
  return { ...shown, balance };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request, ORDER_FORM_LIMIT);
  const { userId } = await requireViewer(request, context);
  if (form.get("intent") !== "order") throw data(null, 400);
  const order = await placeFromForm(context, userId, form, request);
  if (!order.ok && order.topUp) return redirect(order.topUp);
  const offer = await readSentOffer(context.db, userId, form);
  if (!order.ok && order.isUnavailable) return data({ order, offer }, 503);
  return data({ order, offer }, order.ok ? 200 : 400);
}

export default function Overview() {
  const { form, balance, orders: newest } = useLoaderData<typeof loader>();
  // Both keep their answer while the page revalidates. The action's answer is only there without scripts.
  const sender = useFetcher<typeof action>();
  const orders = useLiveOrders(newest);
  return (
    <div className="flex flex-col">
      <h1 className="text-2xl">Dashboard</h1>
      {balance === 0 && orders.length === 0 && <FirstSteps />}
      <NewOrderSection
        data={form}
        balance={balance}
        orders={orders}
        sender={sender}
        sent={useActionResult<typeof action>()}
      />
      <div className="mt-8">
        <Card
          title="Recent orders"
          titleId="orders"
          flush
          aside={
            orders.length > 0 && (
              <ButtonLink to="/dashboard/orders" variant="quiet">
                All orders
              </ButtonLink>
            )
          }
        >
          {orders.length > 0 ? (
            <OrderRows orders={orders} label="Recent orders" />
          ) : (
            <EmptyState icon={Package} title="No orders yet">
              Orders you place here or through the API appear here with their progress.
            </EmptyState>
          )}
        </Card>
      </div>
    </div>
  );
}

/** First steps of a customer without funds and orders. */
function FirstSteps() {
  return (
    <ol className="mt-4 flex flex-wrap gap-x-8 gap-y-1 text-sm">
      <Step number={1}>
        <Link to="/dashboard/top-up" className="inline-flex h-11 items-center underline underline-offset-4 sm:h-8">
          Add funds
        </Link>
        <span className="text-muted">by card or code</span>
      </Step>
      <Step number={2}>
        <span>Order</span>
        <span className="text-muted">below, kept while you add funds</span>
      </Step>
    </ol>
  );
}

function Step({ number, children }: { number: number; children: ReactNode }) {
  return (
    <li className="flex min-h-8 items-center gap-x-2">
      <span
        aria-hidden
        className="tabular flex size-6 shrink-0 items-center justify-center rounded-full border border-line-strong text-xs"
      >
        {number}
      </span>
      {children}
    </li>
  );
}
