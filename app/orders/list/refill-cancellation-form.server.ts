import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { type CancellationRefusal, requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { type RefillRefusal, requestRefill } from "#app/orders/fulfillment/refills.server.ts";

const REFUSALS: Record<Exclude<RefillRefusal | CancellationRefusal, "order_not_found">, string> = {
  not_refillable: "This order can't be refilled. Its service has no refill, or it hasn't been delivered yet.",
  refill_expired: "This order can no longer be refilled: its refill period is over.",
  refill_open: "A refill of this order is already in progress.",
  not_cancelable: "This order can no longer be canceled, or its service doesn't allow it.",
};

/** Requests a refill or a cancellation. Returns a null result for an unknown intent or order; the status says which. */
export async function submitOrderAction(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  userId: string,
  orderId: number,
  intent: FormDataEntryValue | null,
): Promise<{ status: 200 | 409; result: FormResult } | { status: 400 | 404; result: null }> {
  const owner = { userId, isTest: false };
  if (intent !== "refill" && intent !== "cancel") return { status: 400, result: null };
  const requested =
    intent === "refill" ? await requestRefill(db, owner, orderId) : await requestCancellation(db, env, owner, orderId);
  if (requested.ok) {
    const message =
      intent === "refill" ? `Refill requested for order ${orderId}` : `Cancellation requested for order ${orderId}`;
    return { status: 200, result: { intent, ok: true, message } };
  }
  if (requested.reason === "order_not_found") return { status: 404, result: null };
  return { status: 409, result: { intent, ok: false, message: REFUSALS[requested.reason] } };
}
