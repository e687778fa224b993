import { Link, useFetcher } from "@remix-run/react";
import Ban from "lucide-react/icons/ban";
import Repeat from "lucide-react/icons/repeat";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import { useEffect } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { availableRequests } from "#app/orders/rules/order-status.ts";
import type { OrderRow } from "./order-rows.server.ts";

export type OrderActionResult = { ok: boolean; text: string };

type Props = {
  order: Pick<OrderRow, "id" | "status" | "canRefill" | "canCancel" | "refill" | "cancellation" | "offered">;
  /** In a table the words are left to the icon's label. */
  compact?: boolean;
};

/** Repeat, refill and cancel, as far as each is possible now. Refill and cancel ask first. */
export function OrderActions({ order, compact = false }: Props) {
  const { refill, cancel } = availableRequests(order);
  return (
    <div className={`flex gap-1 ${compact ? "justify-end" : "flex-wrap"}`}>
      {order.offered && (
        <ButtonLink
          to={`/dashboard?repeat=${order.id}#new-order`}
          variant={compact ? "quiet" : "secondary"}
          aria-label={compact ? `Repeat order ${order.id}` : undefined}
          title={compact ? "Repeat: the same order again, to look over first" : undefined}
          className={compact ? "w-11 px-0! sm:w-9" : ""}
        >
          <Repeat aria-hidden className="size-4" />
          {!compact && "Repeat"}
        </ButtonLink>
      )}
      {refill && <RequestButton order={order} intent="refill" compact={compact} />}
      {cancel && <RequestButton order={order} intent="cancel" compact={compact} />}
    </div>
  );
}

const WORDS = {
  refill: {
    icon: RotateCcw,
    label: "Refill",
    question: "Ask for a refill of order",
    text: "What has dropped since the delivery is delivered again, at no charge. How long it takes is up to the provider.",
    confirm: "Ask for the refill",
  },
  cancel: {
    icon: Ban,
    label: "Cancel",
    question: "Cancel order",
    text: "What has not been sent yet is canceled and paid back at once. Otherwise the provider decides; what is not delivered is paid back.",
    confirm: "Cancel the order",
  },
};

function RequestButton({ order, intent, compact }: Props & { intent: "refill" | "cancel" }) {
  const sender = useFetcher<OrderActionResult>();
  const { icon: Icon, label, question, text, confirm } = WORDS[intent];
  useEffect(() => {
    if (!sender.data) return;
    if (sender.data.ok) toast.success(sender.data.text);
    else toast.error(sender.data.text);
  }, [sender.data]);

  return (
    <ConfirmButton
      sender={sender}
      action={`/dashboard/orders/${order.id}`}
      fields={{ intent }}
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
      keep="Not now"
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
