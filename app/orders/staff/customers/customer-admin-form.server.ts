import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { onceKey, positiveMoney, reason, rowId } from "#app/orders/staff/staff-fields.server.ts";
import { CURRENCY } from "#app/product.ts";
import { readAdjustmentToUndo } from "./adjustment-undo.server.ts";
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
  undoes: rowId.optional(),
});

/** Handles the form that credits or debits a customer. */
export async function submitAdjustmentForm(db: Db, actor: Actor, userId: string, form: FormData): Promise<FormOutcome> {
  const parsed = parseForm(form, adjustmentInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { direction, amount, reason, once, undoes } = parsed.input;
  // Only an entry of this customer, all of it, and the other way round: the log says that the entry is undone.
  const undo = await readAdjustmentToUndo(db, userId, undoes ?? null);
  if (undoes !== undefined && (undo?.direction !== direction || undo.amount !== amount)) {
    const message = undo
      ? `This isn't the opposite of the entry, a ${undo.direction} of ${undo.amountText} ${CURRENCY}. To adjust by something else, open the customer's page without the entry.`
      : "This isn't the opposite of the entry. Open the form from the entry again.";
    return { kind: "shown", status: 409, result: parsed.refuse({ message }) };
  }
  const adjustment = {
    kind: direction === "topup" ? ("topup" as const) : ("adjustment" as const),
    amount: direction === "debit" ? -amount : amount,
    reason,
  };
  const adjusted = await adjustBalance(
    db,
    undoes === undefined ? actor : { ...actor, undoes },
    userId,
    adjustment,
    once,
  );
  if (adjusted.ok) return { kind: "done", message: `Balance adjusted. New balance: ${formatMoney(adjusted.balance)}.` };
  const isUndone = undoes !== undefined && adjusted.reason === "repeated";
  const message = isUndone
    ? "This entry was already undone. Nothing was done again."
    : ADJUSTMENT_TEXTS[adjusted.reason];
  const result = parsed.refuse({ message });
  return { kind: "shown", status: adjusted.reason === "not_found" ? 404 : 409, result };
}
