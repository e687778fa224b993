import { z } from "zod";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formatMoney } from "#app/orders/rules/money.ts";
import { PAYMENT_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { onceKey, parseStaffForm, positiveMoney, reason, textsOf } from "#app/orders/staff/staff-fields.server.ts";
import type { StaffFormOutcome } from "#app/orders/staff/staff-form-response.server.ts";
import { decidePayment } from "./payment-admin.server.ts";

const paymentInput = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("accept"), amount: positiveMoney, reason, once: onceKey }),
  z.object({ intent: z.literal("refuse"), reason, once: onceKey }),
]);

/** Handles both forms about a payment in review. */
export async function submitPaymentForm(
  db: Db,
  actor: Actor,
  paymentId: string,
  form: FormData,
): Promise<StaffFormOutcome> {
  const intent = String(form.get("intent"));
  const parsed = parseStaffForm(paymentInput, intent, form);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { once, reason } = parsed.input;
  const decision =
    parsed.input.intent === "accept"
      ? ({ kind: "accept", amount: parsed.input.amount, reason } as const)
      : ({ kind: "refuse", reason } as const);
  const decided = await decidePayment(db, actor, paymentId, decision, once);
  if (!decided.ok) {
    const result = { intent, error: PAYMENT_TEXTS[decided.reason], values: textsOf(form) };
    return { kind: "shown", status: decided.reason === "not_found" ? 404 : 409, result };
  }
  const message =
    decision.kind === "accept"
      ? `${formatMoney(decision.amount)} credited.`
      : "Payment marked as not credited. Refund it in Stripe.";
  return { kind: "done", message };
}
