import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { isOpen, isRefillOpen } from "#app/orders/rules/order-status.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import { Detail, Details } from "#app/orders/staff/details.tsx";
import { submitOrderForm } from "#app/orders/staff/orders/order-admin-form.server.ts";
import {
  DecideCancellation,
  DecideRefill,
  RefundOrder,
  ResolveHeld,
  SetStatus,
} from "#app/orders/staff/orders/order-decisions.tsx";
import { FULFILLMENT_TEXTS, OrderState } from "#app/orders/staff/orders/order-state.tsx";
import { ORDER_STATUS_NAMES, readStaffOrder } from "#app/orders/staff/orders/staff-order-list.server.ts";
import { ProviderLog } from "#app/orders/staff/services/provider-log.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `Order ${shown?.order.id ?? ""} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const found = await readStaffOrder(context.db, requireId(params.id));
  if (!found) throw new Response(null, { status: 404 });
  return { ...found, canDecide: role === "admin", statuses: ORDER_STATUS_NAMES };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const actor = actorOf(viewer);
  const done = await submitOrderForm(context, actor, requireId(params.id), await readForm(request));
  if (!done) throw new Response(null, { status: 400 });
  if (!done.ok) return data(done.answer, { status: done.status });
  return redirect(new URL(request.url).pathname, { headers: { "Set-Cookie": flashCookie(done.said) } });
}

/** Who was too late sees what it is now. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  defaultShouldRevalidate || actionStatus === 409;

export default function StaffOrder() {
  const { money, number } = useFormats();
  const loaded = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  const { order, service, provider, customer, balance, canDecide } = loaded;
  const total = order.quantity * order.runs;
  const orderIsOpen = isOpen(order);
  const held = order.fulfillment === "held" && orderIsOpen;
  const waitingRefills = loaded.refills.filter(
    ({ status, fulfillment }) => isRefillOpen(status) && (fulfillment === "manual" || fulfillment === "held"),
  );
  const cancellationWaits =
    loaded.cancellation?.status === "Pending" && loaded.cancellation.fulfillment === "manual" && orderIsOpen;
  const mayRefund = !orderIsOpen && order.refunded === 0 && order.charge > 0;
  const forms: Record<string, boolean> = {
    resolve: held,
    cancel: cancellationWaits,
    refill: waitingRefills.length > 0,
    status: orderIsOpen,
    refund: mayRefund,
  };
  return (
    <>
      <BackLink to="/admin/orders">Orders</BackLink>
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-2xl">Order {order.id}</h1>
        <OrderState status={order.status} fulfillment={order.fulfillment} />
      </div>
      {answer?.error && !forms[answer.intent] && (
        <div className="mt-4 max-w-xl">
          <Notice tone="bad">{answer.error}</Notice>
        </div>
      )}
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <Details>
            <Detail name="Service">
              {service.id} · {service.name}
            </Detail>
            <Detail name="Customer">
              <Customer customer={customer} linked={canDecide} />
            </Detail>
            <Detail name="Balance now">{balance === null ? "—" : money(balance)}</Detail>
            <Detail name="Link">{order.link ? <OrderLink link={order.link} /> : "—"}</Detail>
            <Detail name="Quantity">
              {number(order.quantity)}
              {order.runs > 1 && ` × ${order.runs} runs, every ${order.intervalMinutes} min`}
            </Detail>
            <Detail name="Remains">
              {number(order.remains)} of {number(total)}
            </Detail>
            <Detail name="Start count">{order.startCount === null ? "—" : number(order.startCount)}</Detail>
            <Detail name="Charge">
              {money(order.charge)}
              {order.refunded > 0 && `, ${money(order.refunded)} went back`}
            </Detail>
            <Detail name="Fulfillment">{FULFILLMENT_TEXTS[order.fulfillment]}</Detail>
            <Detail name="Provider">{provider?.name ?? "None"}</Detail>
            <Detail name="Id there">
              {order.providerOrderId ? <code className="font-mono">{order.providerOrderId}</code> : "—"}
            </Detail>
            <Detail name="Placed">
              <RelativeDate at={order.createdAt} />
            </Detail>
            {Object.entries(order.providerFields).map(([name, value]) => (
              <Detail key={name} name={name}>
                <span className="block max-h-40 overflow-y-auto whitespace-pre-wrap">{String(value)}</span>
              </Detail>
            ))}
          </Details>
        </Card>
        {canDecide && (
          <div className="flex flex-col gap-6">
            {held && (
              <Card title="Held: decide" titleId="held" className="border-warn">
                <ResolveHeld order={order} provider={provider?.name ?? "The provider"} answer={answer} />
              </Card>
            )}
            {cancellationWaits && (
              <Card title="Cancellation requested" titleId="cancellation">
                <DecideCancellation order={order} answer={answer} />
              </Card>
            )}
            {waitingRefills.map(({ id }) => (
              <Card key={id} title="Refill requested" titleId={`refill-${id}`}>
                <DecideRefill refillId={id} answer={answer} />
              </Card>
            ))}
            {orderIsOpen && (
              <Card title="Set status and remains" titleId="set-status">
                <SetStatus
                  key={`${order.status} ${order.remains}`}
                  order={order}
                  statuses={loaded.statuses}
                  answer={answer}
                />
              </Card>
            )}
            {mayRefund && (
              <Card title="Refund" titleId="refund">
                <RefundOrder order={order} answer={answer} />
              </Card>
            )}
          </div>
        )}
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {loaded.refills.length > 0 && (
          <Card title="Refills" titleId="refills">
            <ul className="flex flex-col gap-2 text-sm">
              {loaded.refills.map((refill) => (
                <li key={refill.id} className="flex flex-wrap items-center gap-3">
                  <span className="font-mono">{refill.id}</span>
                  <Badge>{refill.status}</Badge>
                  <span className="text-muted">
                    asked <RelativeDate at={refill.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
        <Card title="Money" titleId="money">
          <ul className="flex flex-col gap-2 text-sm">
            {loaded.entries.map((entry) => (
              <li key={entry.id} className="flex flex-wrap gap-x-3">
                <span className="capitalize">{entry.kind}</span>
                <span className="tabular">{money(entry.amount)}</span>
                <span className="text-muted">
                  <RelativeDate at={entry.createdAt} /> {entry.note}
                </span>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="What the provider answered" titleId="provider-log" flush>
          <ProviderLog calls={loaded.log} />
        </Card>
        <Card title="What staff did" titleId="history" flush>
          <AuditList entries={loaded.history} />
        </Card>
      </div>
    </>
  );
}

function Customer({
  customer,
  linked,
}: {
  customer: { userId: string | null; email: string | null } | null;
  linked: boolean;
}) {
  if (!customer?.email) return <>Deleted account</>;
  if (!linked) return <>{customer.email}</>;
  return (
    <Link to={`/admin/customers/${customer.userId}`} className="underline underline-offset-4">
      {customer.email}
    </Link>
  );
}

function OrderLink({ link }: { link: string }) {
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="break-all underline underline-offset-4"
    >
      {link}
    </a>
  );
}
