import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Actor } from "#app/db/audit.server.ts";
import { submitOrder } from "#app/orders/fulfillment/submission.server.ts";
import { ORDER_ACTION_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import type { StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import {
  cancelInput,
  parseStaffForm,
  refillInput,
  refundInput,
  resolveInput,
  statusInput,
  textsOf,
} from "#app/orders/staff/staff-input.server.ts";
import { type OrderActionResult, refundOrder, resolveHeld, setOrderStatus } from "./order-admin.server.ts";
import { decideCancellation, decideRefill } from "./refill-cancellation-queue.server.ts";

export type OrderFormResult =
  | { ok: true; said: string }
  | { ok: false; status: 400 | 404 | 409; answer: NonNullable<StaffFormResult> };

/** Runs one form of the order's page. Null for a form that the page does not have. */
export async function submitOrderForm(
  { db, env, waitUntil }: AppLoadContext,
  actor: Actor,
  orderId: number,
  form: FormData,
): Promise<OrderFormResult | null> {
  const intent = String(form.get("intent"));
  switch (intent) {
    case "status": {
      const parsed = parseStaffForm(statusInput, intent, form);
      if (!parsed.ok) return { ...parsed, status: 400 };
      const act = await setOrderStatus(db, actor, orderId, parsed.input);
      return done(act, intent, form, `Order ${orderId} is set to ${parsed.input.status}.`);
    }
    case "refund": {
      const parsed = parseStaffForm(refundInput, intent, form);
      if (!parsed.ok) return { ...parsed, status: 400 };
      return done(await refundOrder(db, actor, orderId, parsed.input), intent, form, "The refund is on the balance.");
    }
    case "resolve": {
      const parsed = parseStaffForm(resolveInput, intent, form);
      if (!parsed.ok) return { ...parsed, status: 400 };
      const { outcome, reason } = parsed.input;
      const to =
        parsed.input.outcome === "accepted"
          ? ({ kind: "accepted", providerOrderId: parsed.input.providerOrderId } as const)
          : ({ kind: parsed.input.outcome } as const);
      const act = await resolveHeld(db, actor, orderId, to, reason);
      if (act.ok && outcome === "again") waitUntil(submitOrder(db, env, orderId));
      const said = { accepted: "is followed", refused: "is canceled and refunded", again: "is sent again" }[outcome];
      return done(act, intent, form, `Order ${orderId} ${said}.`);
    }
    case "cancel": {
      const parsed = parseStaffForm(cancelInput, intent, form);
      if (!parsed.ok) return { ...parsed, status: 400 };
      const { reason } = parsed.input;
      const decision =
        parsed.input.decision === "accept"
          ? ({ kind: "accept", remains: parsed.input.remains, reason } as const)
          : ({ kind: "reject", reason } as const);
      const act = await decideCancellation(db, actor, orderId, decision);
      return done(act, intent, form, `The request is ${decision.kind === "accept" ? "accepted" : "rejected"}.`);
    }
    case "refill": {
      const parsed = parseStaffForm(refillInput, intent, form);
      if (!parsed.ok) return { ...parsed, status: 400 };
      const act = await decideRefill(db, actor, parsed.input.refill, parsed.input);
      return done(act, intent, form, `Refill ${parsed.input.refill} is set to ${parsed.input.status}.`);
    }
    default:
      return null;
  }
}

function done(act: OrderActionResult, intent: string, form: FormData, said: string): OrderFormResult {
  if (act.ok) return { ok: true, said };
  const answer = { intent, error: ORDER_ACTION_TEXTS[act.reason], values: textsOf(form) };
  return { ok: false, status: act.reason === "not_found" ? 404 : 409, answer };
}
