import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { onceKey, positiveMoney, reason } from "#app/orders/staff/staff-fields.server.ts";
import { type AdjustmentRefusal, adjustBalance } from "./customer-admin.server.ts";

const ADJUSTMENT_TEXTS: Record<AdjustmentRefusal, string> = {
  not_found: "Customer not found.",
  bad_amount: "Enter an amount above 0.",
  insufficient_funds: "The balance doesn't cover this debit.",
  repeated: "This form was already submitted. Nothing was done again.",
};

const adjustmentInput = z.object({
  direction: z.enum(["topup", "credit", "debit"]),
  amount: positiveMoney,
  reason,
  once: onceKey,
});

/** Handles the form that credits or debits a customer. */
export async function submitAdjustmentForm(db: Db, actor: Actor, userId: string, form: FormData): Promise<FormOutcome> {
  const parsed = parseForm(form, adjustmentInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { direction, amount, reason, once } = parsed.input;
  const adjustment = {
    kind: direction === "topup" ? ("topup" as const) : ("adjustment" as const),
    amount: direction === "debit" ? -amount : amount,
    reason,
  };
  const adjusted = await adjustBalance(db, actor, userId, adjustment, once);
  if (adjusted.ok) return { kind: "done", message: `Balance adjusted. New balance: ${formatMoney(adjusted.balance)}.` };
  const result = parsed.refuse({ message: ADJUSTMENT_TEXTS[adjusted.reason] });
  return { kind: "shown", status: adjusted.reason === "not_found" ? 404 : 409, result };
}
