import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import Package from "lucide-react/icons/package";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";
import { listOrderPage } from "#app/orders/list/order-list.server.ts";
import { OrderTable } from "#app/orders/list/order-table.tsx";
import { NewOrderSection } from "#app/orders/placing/new-order-section.tsx";
import { readOrderForm } from "#app/orders/placing/order-form-data.server.ts";
import { ORDER_FORM_LIMIT, placeFromForm } from "#app/orders/placing/place-order-form.server.ts";
import { readSpending } from "#app/orders/wallet/spending.server.ts";
import { SpendingPanel } from "#app/orders/wallet/spending-panel.tsx";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_SHOWN = 10;
const DAYS_SHOWN = 30;

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { db } = context;
  const [orderForm, { balance }, recent, spending] = await Promise.all([
    readOrderForm(db, userId, new URL(request.url).searchParams),
    readWallet(db, userId),
    listOrderPage(db, userId, { filter: "all", search: "", before: null }, ORDERS_SHOWN),
    readSpending(db, userId, DAYS_SHOWN, Date.now()),
  ]);
  return { orderForm, balance, recent, spending };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request, ORDER_FORM_LIMIT);
  const { userId } = await requireViewer(request, context);
  if (form.get("intent") !== "order") throw data(null, 400);
  const order = await placeFromForm(context, userId, form);
  const offer = await readOffer(context.db, parseId(form.get("service")));
  return data({ order, offer }, order.ok ? 200 : 400);
}

export default function Overview() {
  const { orderForm, balance, recent, spending } = useLoaderData<typeof loader>();
  // A fetcher keeps its response while the page revalidates; action data would be dropped.
  const sender = useFetcher<typeof action>();
  return (
    <div className="flex flex-col">
      <h1 className="text-2xl">Dashboard</h1>
      <SpendingPanel balance={balance} spending={spending} />
      <NewOrderSection data={orderForm} balance={balance} sender={sender} sent={useActionData<typeof action>()} />
      <div className="mt-8">
        <Card
          title="Recent orders"
          titleId="orders"
          flush
          aside={
            <ButtonLink to="/dashboard/orders" variant="quiet">
              All orders
            </ButtonLink>
          }
        >
          {recent.rows.length > 0 ? (
            <OrderTable orders={recent.rows} label="Recent orders" />
          ) : (
            <EmptyState icon={Package} title="No orders yet">
              Orders you place here or through the API appear here with their progress. Use the form above to place your
              first one.
            </EmptyState>
          )}
        </Card>
      </div>
    </div>
  );
}
