import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { dispatchSoon } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { OrderActions } from "#app/orders/list/order-actions.tsx";
import { OrderDetails } from "#app/orders/list/order-details.tsx";
import { readOrderDetail } from "#app/orders/list/order-rows.server.ts";
import { submitOrderAction } from "#app/orders/list/refill-cancellation-form.server.ts";
import { useLiveOrders } from "#app/orders/list/use-live-orders.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ params }) => [{ title: `Order ${params.id} · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const nearby = await readOrderDetail(context.replicaDb, userId, id);
  // A replica may lack an order that was just placed over the API or on another device.
  const order = nearby ?? (await readOrderDetail(context.db, userId, id));
  if (!order) throw data(null, 404);
  return { order };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const { status, result } = await submitOrderAction(context, userId, id, form.get("intent"));
  if (!result) throw data(null, status);
  if (result.ok) dispatchSoon(context);
  return data(result, status);
}

export default function Order() {
  const { order: loaded } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  const [live] = useLiveOrders([loaded]);
  const order = live ?? loaded;
  return (
    <>
      <BackLink to="/dashboard/orders">Orders</BackLink>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="flex flex-wrap items-center gap-3 text-2xl">
          Order <span className="font-mono">{order.id}</span>
          <Badge tone={ORDER_STATUS_TONES[order.status]}>{order.status}</Badge>
        </h1>
        <OrderActions order={order} />
      </div>
      {result && (
        <div className="mt-4">
          <Notice tone={result.ok ? "good" : "bad"}>{result.message}</Notice>
        </div>
      )}
      <OrderDetails order={order} />
    </>
  );
}
