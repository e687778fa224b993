import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { onceKey, positiveMoney, reason } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { decidePayment, type PaymentRefusal } from "./payment-admin.server.ts";

const PAYMENT_TEXTS: Record<PaymentRefusal, string> = {
  not_found: "Payment not found.",
  bad_amount: "Enter an amount above 0 and up to the top-up limit.",
  changed: "This payment was already decided. Nothing was done. Check its current state.",
  repeated: "This form was already submitted. Nothing was done again.",
};

const paymentInput = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("accept"), amount: positiveMoney, reason, once: onceKey }),
  z.object({ intent: z.literal("refuse"), reason, once: onceKey }),
]);

/** Handles both forms about a payment in review. */
export async function submitPaymentForm(db: Db, actor: Actor, paymentId: string, form: FormData): Promise<FormOutcome> {
  const parsed = parseForm(form, paymentInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { once, reason } = parsed.input;
  const decision =
    parsed.input.intent === "accept"
      ? ({ kind: "accept", amount: parsed.input.amount, reason } as const)
      : ({ kind: "refuse", reason } as const);
  const decided = await decidePayment(db, actor, paymentId, decision, once);
  if (!decided.ok) {
    const result = parsed.refuse({ message: PAYMENT_TEXTS[decided.reason] });
    return { kind: "shown", status: decided.reason === "not_found" ? 404 : 409, result };
  }
  const message =
    decision.kind === "accept"
      ? `${formatMoney(decision.amount)} credited.`
      : "Payment marked as not credited. Refund it in Stripe.";
  return { kind: "done", message };
}
