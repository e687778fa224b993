import { and, eq, inArray } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** What the form that adjusts a balance begins with, when it undoes an entry of the audit log. */
export type AdjustmentToUndo = {
  entryId: number;
  direction: "credit" | "debit";
  /** Micro-units, above 0. */
  amount: number;
  /** The amount as a form writes it. */
  amountText: string;
  reason: string;
};

/** Returns the opposite of a credit or debit of this customer, or null if the entry is none. */
export async function readAdjustmentToUndo(
  db: Db,
  userId: string,
  entryId: number | null,
): Promise<AdjustmentToUndo | null> {
  if (entryId === null) return null;
  const [entry] = await db
    .select({ detail: auditLog.detail })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.id, entryId),
        eq(auditLog.subjectType, "customer"),
        eq(auditLog.subjectId, userId),
        inArray(auditLog.action, ["customer.credit", "customer.debit"]),
      ),
    )
    .limit(1);
  const { amount, reason } = entry?.detail ?? {};
  if (typeof amount !== "number") return null;
  const opposite = Math.abs(amount);
  return {
    entryId,
    direction: amount > 0 ? "debit" : "credit",
    amount: opposite,
    amountText: decimal(opposite, 2),
    reason: typeof reason === "string" ? reason : "",
  };
}
