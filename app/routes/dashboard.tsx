import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { requireViewer } from "#app/accounts/viewer.server.ts";
import { Card } from "#app/components/card.tsx";
import { useRefresh } from "#app/components/use-refresh.ts";
import { listApiKeys, revokeApiKey } from "#app/orders/api-keys.server.ts";
import { ApiKeys } from "#app/orders/api-keys.tsx";
import { listLedger, readBalance } from "#app/orders/ledger.server.ts";
import { LedgerTable } from "#app/orders/ledger-table.tsx";
import { formatMoney } from "#app/orders/money.ts";
import { listOffers } from "#app/orders/offers.server.ts";
import { OrderForm, type OrderResult } from "#app/orders/order-form.tsx";
import { isOpen, OrderTable } from "#app/orders/order-table.tsx";
import { listOrders } from "#app/orders/orders.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";
import { createKeyFromForm, newFormKey, placeFromForm } from "./dashboard.actions.server.ts";

const ORDERS_SHOWN = 20;
const LEDGER_SHOWN = 10;

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { db } = context;
  const { searchParams } = new URL(request.url);
  const [offers, balance, orders, keys, entries] = await Promise.all([
    listOffers(db),
    readBalance(db, userId),
    listOrders(db, userId, ORDERS_SHOWN),
    listApiKeys(db, userId),
    listLedger(db, userId, LEDGER_SHOWN),
  ]);
  const names = new Map(offers.map(({ id, name }) => [id, name]));
  return {
    idempotencyKey: newFormKey(),
    asked: Object.fromEntries([...searchParams].filter(([name]) => name === "service" || name === "quantity")),
    offers,
    balance,
    keys,
    orders: orders.map(({ id, serviceId, link, quantity, runs, remains, status, charge, refunded, createdAt }) => ({
      id,
      service: names.get(serviceId) ?? `Service ${serviceId}, no longer offered`,
      link,
      quantity,
      runs,
      remains,
      status,
      charge,
      refunded,
      createdAt,
    })),
    entries: entries.map(({ userId: _, ...entry }) => entry),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const form = await request.formData();
  const intent = form.get("intent");
  switch (intent) {
    case "order": {
      const order = await placeFromForm(context, userId, form);
      return data({ order, apiKey: null, revoked: false }, order.ok ? 200 : 400);
    }
    case "create-key":
      return data({ order: null, apiKey: await createKeyFromForm(context, userId, form), revoked: false });
    case "revoke-key":
      return data({
        order: null,
        apiKey: null,
        revoked: await revokeApiKey(context.db, context.env, userId, String(form.get("id"))),
      });
    default:
      throw data(null, 400);
  }
}

export default function Dashboard() {
  const { offers, balance, orders, keys, entries, idempotencyKey, asked } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  // A fetcher keeps its answer while the page refreshes itself; action data would be dropped.
  const sender = useFetcher<typeof action>();
  const placed = sender.data?.order ?? answer?.order ?? null;
  const [first] = offers;
  // A placed order starts a new form; a refused one keeps what was typed.
  const [formAfter, setFormAfter] = useState(0);
  if (placed?.ok && placed.orderId !== formAfter) setFormAfter(placed.orderId);
  useRefresh(orders.some(isOpen));

  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">Dashboard</h1>
        <p className="text-right">
          <span className="block text-sm text-muted">Balance</span>
          <span className="tabular text-2xl font-semibold tracking-tight">{formatMoney(balance, CURRENCY)}</span>
        </p>
      </div>
      <section aria-labelledby="new-order" className="mt-6">
        <h2 id="new-order" className="mb-3 text-sm">
          New order
        </h2>
        {first ? (
          <OrderForm
            key={formAfter}
            offers={offers}
            first={first}
            balance={balance}
            idempotencyKey={idempotencyKey}
            values={valuesOf(placed) ?? asked}
            result={placed}
            sender={sender}
          />
        ) : (
          <p className="rounded-md border border-line bg-raised p-5 text-sm text-muted">
            The catalogue is empty at the moment, so nothing can be ordered. Please come back later.
          </p>
        )}
      </section>
      <div className="mt-8 flex flex-col gap-8">
        <Card title="Recent orders" titleId="orders" flush>
          <OrderTable orders={orders} />
        </Card>
        <div className="grid items-start gap-8 lg:grid-cols-2">
          <Card title="API keys" titleId="api-keys" flush>
            <ApiKeys keys={keys} sentWithoutScripts={answer?.apiKey ?? null} />
          </Card>
          <Card title="Ledger" titleId="ledger" flush>
            <LedgerTable entries={entries} />
          </Card>
        </div>
      </div>
    </main>
  );
}

function valuesOf(placed: OrderResult | null): Record<string, string> | null {
  if (!placed) return null;
  return placed.ok ? { service: String(placed.serviceId) } : placed.values;
}
