import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { onceKey, positiveMoney, reason, rowId } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { isUnavailable, RETRY_AFTER_SECONDS } from "#app/db/bounded-database.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { type ParsedForm, parseForm } from "#app/http/requests/read-form.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";
import { readAdjustmentToUndo } from "./adjustment-undo.server.ts";
import { type AdjustmentRefusal, adjustBalance } from "./customer-admin.server.ts";

const ADJUSTMENT_TEXTS: Record<AdjustmentRefusal, string> = {
  not_found: "Customer not found.",
  bad_amount: "Enter an amount above 0.",
  insufficient_funds: "The balance doesn't cover this debit.",
  repeated: "This form was already submitted. Nothing was done again.",
};

const UNAVAILABLE_TEXT =
  "Our database isn't answering at the moment. Wait a few seconds and adjust the balance again: it is adjusted once.";

const adjustmentInput = z.object({
  direction: z.enum(["topup", "credit", "debit"]),
  amount: positiveMoney,
  reason,
  once: onceKey,
  undoes: rowId.optional(),
});

/**
 * Handles the form that credits or debits a customer. If the database doesn't answer, the form keeps its `once`: submitted
 * again, it takes effect once.
 */
export async function submitAdjustmentForm(db: Db, actor: Actor, userId: string, form: FormData): Promise<FormOutcome> {
  // After any other refusal, the form gets a new one.
  const parsed = parseForm(form, adjustmentInput, { secrets: ["once"] });
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  try {
    return await adjust(db, actor, userId, parsed);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    logError("balance not adjusted", error);
    const { values, ...refused } = parsed.refuse({ message: UNAVAILABLE_TEXT });
    const result = { ...refused, values: { ...values, once: parsed.input.once } };
    return { kind: "shown", status: 503, result, headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } };
  }
}

async function adjust(
  db: Db,
  actor: Actor,
  userId: string,
  parsed: ParsedForm<z.output<typeof adjustmentInput>> & { ok: true },
): Promise<FormOutcome> {
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
