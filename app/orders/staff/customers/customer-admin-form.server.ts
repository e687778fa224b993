import { z } from "zod";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formatMoney } from "#app/orders/rules/money.ts";
import { ADJUSTMENT_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { onceKey, parseStaffForm, positiveMoney, reason, textsOf } from "#app/orders/staff/staff-fields.server.ts";
import type { StaffFormOutcome } from "#app/orders/staff/staff-form-response.server.ts";
import { ADJUST_INTENT } from "./adjust-balance-form.tsx";
import { adjustBalance } from "./customer-admin.server.ts";

const adjustmentInput = z.object({
  direction: z.enum(["topup", "credit", "debit"]),
  amount: positiveMoney,
  reason,
  once: onceKey,
});

/** Handles the form that credits or debits a customer. */
export async function submitAdjustmentForm(
  db: Db,
  actor: Actor,
  userId: string,
  form: FormData,
): Promise<StaffFormOutcome> {
  const parsed = parseStaffForm(adjustmentInput, ADJUST_INTENT, form);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { direction, amount, reason, once } = parsed.input;
  const adjustment = {
    kind: direction === "topup" ? ("topup" as const) : ("adjustment" as const),
    amount: direction === "debit" ? -amount : amount,
    reason,
  };
  const adjusted = await adjustBalance(db, actor, userId, adjustment, once);
  if (adjusted.ok) return { kind: "done", message: `Balance adjusted. New balance: ${formatMoney(adjusted.balance)}.` };
  const result = { intent: ADJUST_INTENT, error: ADJUSTMENT_TEXTS[adjusted.reason], values: textsOf(form) };
  return { kind: "shown", status: adjusted.reason === "not_found" ? 404 : 409, result };
}
