import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { ProgressLine } from "#app/components/ui/mark.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ORDER_STATUS_TONES } from "#app/components/ui/order-status-tones.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { type OrderActionResult, OrderActions } from "#app/orders/list/order-actions.tsx";
import { readOrderDetail } from "#app/orders/list/order-rows.server.ts";
import { OrderLink } from "#app/orders/list/order-table.tsx";
import { useLiveOrders } from "#app/orders/list/use-live-orders.ts";
import { ORDER_FIELD_NAMES, type OrderFieldName, orderField } from "#app/orders/rules/order-input.ts";
import { requestText } from "#app/orders/rules/order-status.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ params }) => [{ title: `Order ${params.id} · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const order = await readOrderDetail(context.db, userId, id);
  if (!order) throw data(null, 404);
  return { order };
}

const REFUSALS = {
  not_refillable: "This order cannot be refilled: its service has no refill, or it has not been delivered yet.",
  refill_open: "A refill of this order is under way already.",
  not_cancelable: "This order cannot be canceled any more, or its service does not allow it.",
};

export async function action({ request, params, context }: ActionFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const intent = (await readForm(request)).get("intent");
  const who = { userId, isTest: false };
  const asked =
    intent === "refill"
      ? await requestRefill(context.db, who, id)
      : intent === "cancel"
        ? await requestCancellation(context.db, who, id)
        : null;
  if (!asked) throw data(null, 400);
  if (!asked.ok) {
    if (asked.reason === "order_not_found") throw data(null, 404);
    return data<OrderActionResult>({ ok: false, text: REFUSALS[asked.reason] }, 409);
  }
  const text = intent === "refill" ? `The refill of order ${id} is requested.` : `To cancel order ${id} is requested.`;
  return data<OrderActionResult>({ ok: true, text });
}

/** Fields that the page shows in lines of their own. */
const OWN_LINES: OrderFieldName[] = ["link", "quantity", "runs", "interval"];

export default function Order() {
  const { number } = useFormats();
  const { order: loaded } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [live] = useLiveOrders([loaded]);
  const order = live ?? loaded;
  const total = order.quantity * order.runs;
  const request = requestText(order);
  const otherFields = ORDER_FIELD_NAMES.filter((name) => !OWN_LINES.includes(name) && order.fields[name] !== undefined);
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
      {answer && (
        <div className="mt-4">
          <Notice tone={answer.ok ? "good" : "bad"}>{answer.text}</Notice>
        </div>
      )}
      <dl className="mt-6 overflow-clip rounded-md border border-line bg-raised text-sm">
        <Line label="Service">
          {order.service} <span className="text-muted">({order.serviceId})</span>
        </Line>
        {order.link !== "" && (
          <Line label="Link">
            <OrderLink link={order.link} />
          </Line>
        )}
        <Line label="Delivered">
          <span className="flex items-center gap-3">
            <span className="tabular">
              {number(total - order.remains)} of {number(total)}
            </span>
            <ProgressLine done={total - order.remains} total={total} label={`Progress of order ${order.id}`} />
          </span>
        </Line>
        {order.runs > 1 && (
          <Line label="Drip-feed">
            {number(order.quantity)} pieces, {order.runs} times
            {order.intervalMinutes ? `, every ${order.intervalMinutes} minutes` : ""}
          </Line>
        )}
        <Line label="Count at the start">{order.startCount === null ? "Not told yet" : number(order.startCount)}</Line>
        <Line label="Charge">
          <Money micro={order.charge} />
        </Line>
        {order.refunded > 0 && (
          <Line label="Paid back">
            <Money micro={order.refunded} />
          </Line>
        )}
        {otherFields.map((name) => (
          <Line key={name} label={orderField(name).label}>
            <span className="max-h-60 overflow-y-auto break-words whitespace-pre-line">{order.fields[name]}</span>
          </Line>
        ))}
        <Line label="Placed">
          <span>
            <RelativeDate at={order.createdAt} /> {order.source === "api" ? "through the API" : "on this site"}
          </span>
        </Line>
        {request && <Line label="Requests">{request}</Line>}
        {order.refills.map((refill) => (
          <Line key={refill.id} label={`Refill ${refill.id}`}>
            <span>
              {refill.status}, asked for <RelativeDate at={refill.createdAt} />
            </span>
          </Line>
        ))}
      </dl>
    </>
  );
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="grid min-h-11 items-center gap-x-4 border-b border-line px-4 py-2 last:border-b-0 sm:grid-cols-[200px_1fr] sm:px-5">
      <dt className="text-muted first-letter:uppercase">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
