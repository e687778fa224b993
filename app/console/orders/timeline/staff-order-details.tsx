import { Link } from "@remix-run/react";
import { ClockTime } from "#app/components/formats/clock-time.tsx";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Detail, Details } from "#app/console/detail-list.tsx";
import { holdReasonSentence } from "#app/console/orders/hold-reasons.ts";
import { FULFILLMENT_TEXTS } from "#app/console/orders/order-state.tsx";
import { PriceRuleText } from "#app/orders/prices/price-rule-text.tsx";
import { marginOf, shareText } from "#app/orders/rules/margin.ts";
import { isOpen } from "#app/orders/rules/order-status.ts";
import type { StaffOrder } from "./staff-order.server.ts";

/** An order's fields. Only admins get a link to the customer, and what the order costs. */
export function StaffOrderDetails({
  shown: { order, deferral, service, provider, customer, balance },
  isAdmin,
}: {
  shown: Pick<StaffOrder, "order" | "deferral" | "service" | "provider" | "customer" | "balance">;
  isAdmin: boolean;
}) {
  const { money, number } = useFormats();
  const total = order.quantity * order.runs;
  return (
    <Details>
      <Detail name="Service">
        {service.id} · {service.name}
      </Detail>
      <Detail name="Customer">
        <CustomerLink customer={customer} isLinked={isAdmin} />
      </Detail>
      <Detail name="Balance">{balance === null ? "—" : <Money micro={balance} />}</Detail>
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
        <Money micro={order.charge} />
        {order.refunded > 0 && `, ${money(order.refunded)} refunded`}
        {order.priceRule && (
          <span className="block text-muted">
            <PriceRuleText rule={order.priceRule} usual={order.charge + order.discount} />
          </span>
        )}
      </Detail>
      {isAdmin && order.providerId !== null && (
        <>
          <Detail name="Cost">
            <CostText order={order} />
          </Detail>
          <Detail name="Margin">
            <MarginText order={order} />
          </Detail>
        </>
      )}
      <Detail name="Fulfillment">
        {FULFILLMENT_TEXTS[order.fulfillment]}
        {order.heldFor !== null && <span className="block text-muted">{holdReasonSentence(order.heldFor)}</span>}
        <UnreadStatus order={order} provider={provider} isAdmin={isAdmin} />
        {deferral && (
          <span className="block text-muted">
            {deferral.says}. Refused {deferral.times === 1 ? "once" : `${number(deferral.times)} times`} for that.
          </span>
        )}
      </Detail>
      <Detail name="Provider">{provider?.name ?? "None"}</Detail>
      <Detail name="Provider order ID">
        {order.providerOrderId ? <code className="font-mono">{order.providerOrderId}</code> : "—"}
      </Detail>
      <Detail name="Placed">
        <RelativeDate at={order.createdAt} />
      </Detail>
      {isOpen(order) && order.expectedBy !== null && (
        <Detail name="Usually done">
          by <ClockTime at={order.expectedBy} />
        </Detail>
      )}
      {order.refillUntil !== null && (
        <Detail name="Refill until">
          <ClockTime at={order.refillUntil} time={false} />
        </Detail>
      )}
      {order.reference !== null && <Detail name="Reference">{order.reference}</Detail>}
      {Object.entries(order.providerFields).map(([name, value]) => (
        <Detail key={name} name={name}>
          <span className="block max-h-40 overflow-y-auto whitespace-pre-wrap">{String(value)}</span>
        </Detail>
      ))}
    </Details>
  );
}

/** Says that the provider's last status can't be read, and leads an admin to where its words are taught. */
function UnreadStatus({
  order: { fulfillment, heldFor, unreadableSince },
  provider,
  isAdmin,
}: Pick<StaffOrder, "order" | "provider"> & { isAdmin: boolean }) {
  const isUnread = fulfillment === "accepted" && unreadableSince !== 0;
  if (!isUnread && heldFor !== "unreadable") return null;
  return (
    <>
      {isUnread && <span className="block text-muted">We don't know the status that the provider reports for it.</span>}
      {isAdmin && provider && (
        <Link to={`/admin/providers/${provider.id}#unread`} className="block underline underline-offset-4">
          Say what its status means
        </Link>
      )}
    </>
  );
}

function CostText({ order: { cost = null, costIsReported } }: { order: StaffOrder["order"] }) {
  if (cost === null) return <>Not known</>;
  return (
    <>
      <Money micro={cost} />, {costIsReported ? "charged by the provider" : "by the provider's rate"}
    </>
  );
}

/** Shows what is left of the charge after refunds and cost. */
function MarginText({ order: { charge, refunded, cost = null } }: { order: StaffOrder["order"] }) {
  if (cost === null) return <>Not known</>;
  const revenue = charge - refunded;
  const margin = marginOf(revenue, cost);
  return (
    <>
      <Money micro={revenue - cost} />
      {margin !== null && `, ${shareText(margin)}`}
    </>
  );
}

function CustomerLink({
  customer,
  isLinked,
}: {
  customer: { userId: string | null; email: string | null } | null;
  isLinked: boolean;
}) {
  if (!customer?.email) return <>Deleted account</>;
  if (!isLinked) return <>{customer.email}</>;
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
