import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { count, optionalCount, positiveMoney, reason, rowId } from "#app/console/staff-fields.server.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_STATUSES, type Order, REFILL_STATUSES } from "#app/db/schema.server.ts";
import { conflictForm, type FieldTexts, isCurrent, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { parseProviderId } from "#app/orders/providers/reading/members.ts";
import { applyComparison, compareWithProvider } from "./compare-order.server.ts";
import type { ComparedResult } from "./comparison-card.tsx";
import {
  findOrder,
  type OrderActionRefusal,
  type OrderActionResult,
  refundOrder,
  resolveHeld,
  setOrderStatus,
} from "./order-admin.server.ts";
import { decideCancellation, decideRefill } from "./refill-cancellation-queue.server.ts";

const ORDER_ACTION_TEXTS: Record<Exclude<OrderActionRefusal, "stale">, string> = {
  not_found: "Order not found.",
  changed: "The order changed in the meantime. Nothing was done. Check its current state.",
  final: "This order is in a final status and can't be changed.",
  sending: "This order is being sent to its provider. Try again in a minute.",
  held: "This order is held. First resolve it, or set a final status.",
  not_held: "This order is no longer held.",
  bad_remains: "Remains can't exceed the quantity. A partial order needs remains above 0.",
  provider_id_taken: "Another order already uses this provider order ID.",
  no_provider: "This order has no provider.",
  refund_given: "This order was already refunded. Credit the customer instead.",
  bad_amount: "Enter an amount above 0 and up to the charge.",
};

const statusInput = z.object({
  status: z.enum(ORDER_STATUSES),
  remains: count,
  startCount: optionalCount,
  reason,
});

const refundInput = z.object({ amount: positiveMoney, reason });

/** When the order was changed last, as the form showed it. */
const seen = z
  .string("Reload the page and submit the form again")
  .regex(/^\d{1,16}$/)
  .transform(Number);
const resolveInput = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("accepted"),
    providerOrderId: z
      .string()
      .trim()
      .refine((id) => parseProviderId(id) !== null, "Enter the provider order ID"),
    seen,
    reason,
  }),
  z.object({ outcome: z.literal("refused"), seen, reason }),
  z.object({ outcome: z.literal("again"), seen, reason }),
]);

const comparedInput = z.object({ digest: z.string().max(100), reason });

const refillInput = z.object({
  refill: rowId,
  from: z.enum(REFILL_STATUSES),
  status: z.enum(REFILL_STATUSES).exclude(["Pending"]),
  reason,
});

const cancelInput = z.discriminatedUnion("decision", [
  // The remains that the form showed: more may be delivered by now.
  z.object({ decision: z.literal("accept"), remains: count, seen: count, reason }),
  z.object({ decision: z.literal("reject"), reason }),
]);

/** Handles the forms of an order's page. Returns null for an unknown form. */
export async function submitOrderForm(
  { db, env, waitUntil }: AppLoadContext,
  actor: Actor,
  orderId: number,
  form: FormData,
): Promise<FormOutcome<ComparedResult> | null> {
  switch (form.get("intent")) {
    case "status": {
      const parsed = parseForm(form, statusInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
      const begun = readEdit(form);
      const isSeen = (order: OrderCounts) => isCurrent(begun, statusTexts(order));
      const done = await setOrderStatus(db, env, actor, orderId, parsed.input, isSeen);
      if (!done.ok && done.reason === "stale") {
        const { reason, ...typed } = parsed.input;
        const result = await staleStatus(db, orderId, form, { ...statusTexts(typed), reason });
        return { kind: "shown", status: 409, result };
      }
      return outcomeOf(done, parsed.refuse, `Order ${orderId} set to ${parsed.input.status}.`);
    }
    case "refund": {
      const parsed = parseForm(form, refundInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const done = await refundOrder(db, actor, orderId, parsed.input);
      return outcomeOf(done, parsed.refuse, `Order ${orderId} refunded.`);
    }
    case "resolve": {
      const parsed = parseForm(form, resolveInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const { outcome, seen: seenAt, reason } = parsed.input;
      const resolution =
        parsed.input.outcome === "accepted"
          ? ({ kind: "accepted", providerOrderId: parsed.input.providerOrderId } as const)
          : ({ kind: parsed.input.outcome } as const);
      const done = await resolveHeld(db, env, actor, orderId, resolution, reason, { seenAt });
      if (done.ok && outcome === "again") waitUntil(wakeDispatchers(db, env.PROVIDER_DISPATCHER));
      const effect = { accepted: "is being tracked", refused: "canceled and refunded", again: "is being sent again" };
      return outcomeOf(done, parsed.refuse, `Order ${orderId} ${effect[outcome]}.`);
    }
    case "compare": {
      const comparison = await compareWithProvider(db, env, orderId);
      if (comparison === null) return cannotAsk("compare");
      return { kind: "shown", status: 200, result: { intent: "compare", ok: true, comparison } };
    }
    case "apply-compared": {
      const parsed = parseForm(form, comparedInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const answer = await applyComparison(db, env, actor, orderId, parsed.input);
      if (answer === null) return cannotAsk("apply-compared");
      if (answer.applied) return { kind: "done", message: `The provider's answer is applied to order ${orderId}.` };
      const message = "The order or the provider's answer changed meanwhile. Nothing was applied. Look again.";
      const { comparison } = answer;
      return { kind: "shown", status: 409, result: { ...parsed.refuse({ message }), comparison } };
    }
    case "cancel": {
      const parsed = parseForm(form, cancelInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const { reason } = parsed.input;
      const decision =
        parsed.input.decision === "accept"
          ? ({ kind: "accept", remains: parsed.input.remains, seen: parsed.input.seen, reason } as const)
          : ({ kind: "reject", reason } as const);
      const done = await decideCancellation(db, env, actor, orderId, decision);
      return outcomeOf(done, parsed.refuse, `Cancellation ${decision.kind === "accept" ? "accepted" : "rejected"}.`);
    }
    case "refill": {
      const parsed = parseForm(form, refillInput);
      if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
      const done = await decideRefill(db, actor, parsed.input.refill, parsed.input);
      return outcomeOf(done, parsed.refuse, `Refill ${parsed.input.refill} set to ${parsed.input.status}.`);
    }
    default:
      return null;
  }
}

function cannotAsk(intent: string): FormOutcome {
  const message = "The provider has no ID for this order, so it can't be asked.";
  return { kind: "shown", status: 409, result: { intent, ok: false, message } };
}

type OrderCounts = Pick<Order, "status" | "remains" | "startCount">;

/** Returns what the form of an order's status shows of it. */
export function statusTexts({ status, remains, startCount }: OrderCounts): FieldTexts {
  return { status, remains: String(remains), startCount: String(startCount ?? "") };
}

async function staleStatus(db: Db, orderId: number, form: FormData, typed: FieldTexts): Promise<FormResult> {
  const [order, changed] = await Promise.all([
    findOrder(db, orderId),
    changedSince(db, "order", orderId, readEdit(form).at),
  ]);
  if (!order) throw new Error("a changed order is gone");
  return conflictForm(form, { version: order.updatedAt, texts: statusTexts(order) }, typed, changed);
}

function outcomeOf(
  done: OrderActionResult,
  refuse: (why: { message: string }) => FormResult,
  message: string,
): FormOutcome {
  if (done.ok) return { kind: "done", message };
  const result = refuse({ message: ORDER_ACTION_TEXTS[done.reason === "stale" ? "changed" : done.reason] });
  return { kind: "shown", status: done.reason === "not_found" ? 404 : 409, result };
}
