import { Link, useFetcher } from "@remix-run/react";
import Ban from "lucide-react/icons/ban";
import Repeat from "lucide-react/icons/repeat";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useResultToast } from "#app/components/forms/use-result-toast.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { availableActions } from "#app/orders/rules/order-status.ts";
import type { OrderRow } from "./order-rows.server.ts";

type Props = {
  order: Pick<OrderRow, "id" | "status" | "canRefill" | "canCancel" | "refill" | "cancellation" | "offered">;
  /** Shows icons for a table. Their labels name the order. */
  compact?: boolean;
};

/** Repeat, refill and cancel buttons, each only if the order allows it. Refill and cancel ask for confirmation. */
export function OrderActions({ order, compact = false }: Props) {
  const { refill, cancel } = availableActions(order);
  return (
    <div className={`flex gap-1 ${compact ? "justify-end" : "flex-wrap"}`}>
      {order.offered && (
        <ButtonLink
          to={`/dashboard?repeat=${order.id}#new-order`}
          variant={compact ? "quiet" : "secondary"}
          aria-label={compact ? `Repeat order ${order.id}` : undefined}
          title={compact ? "Repeat: review and place the same order again" : undefined}
          className={compact ? "w-11 px-0! sm:w-9" : ""}
        >
          <Repeat aria-hidden className="size-4" />
          {!compact && "Repeat"}
        </ButtonLink>
      )}
      {refill && <ActionButton order={order} intent="refill" compact={compact} />}
      {cancel && <ActionButton order={order} intent="cancel" compact={compact} />}
    </div>
  );
}

const TEXTS = {
  refill: {
    icon: RotateCcw,
    label: "Refill",
    question: "Request a refill for order",
    text: "We'll replace what dropped, free. How long it takes depends on the provider.",
    confirm: "Request refill",
  },
  cancel: {
    icon: Ban,
    label: "Cancel",
    question: "Cancel order",
    text: "If the order hasn't been sent yet, we cancel and refund it at once. Otherwise the provider decides, and we refund what isn't delivered.",
    confirm: "Cancel order",
  },
};

function ActionButton({ order, intent, compact }: Props & { intent: "refill" | "cancel" }) {
  const sender = useFetcher<FormResult>();
  const { icon: Icon, label, question, text, confirm } = TEXTS[intent];
  useResultToast(sender.data);

  return (
    <ConfirmButton
      sender={sender}
      action={`/dashboard/orders/${order.id}`}
      fields={{ intent }}
      isInList={compact}
      button={
        <>
          <Icon aria-hidden className="size-4" />
          {!compact && label}
        </>
      }
      label={compact ? `${label} order ${order.id}` : undefined}
      title={compact ? label : undefined}
      variant={compact ? "quiet" : "secondary"}
      busy={sender.state !== "idle"}
      className={compact ? "w-11 px-0! sm:w-9" : ""}
      question={`${question} ${order.id}?`}
      description={text}
      confirm={confirm}
      confirmVariant={intent === "cancel" ? "danger" : "primary"}
      keep={intent === "cancel" ? "Keep order" : "Not now"}
    />
  );
}

export function OrderNumber({ id }: { id: number }) {
  return (
    <Link
      to={`/dashboard/orders/${id}`}
      className="inline-flex h-11 items-center font-mono underline decoration-line-strong underline-offset-4 hover:decoration-current sm:h-10"
    >
      {id}
    </Link>
  );
}
