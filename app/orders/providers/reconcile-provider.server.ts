import { and, desc, eq, gte } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { providerBalances, providerUseDays } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { isOurCurrency } from "./order-cost.ts";
import { judgeDay, type ReconciledDay } from "./reconciled-day.ts";

export const RECONCILED_DAYS = 30;

export type Reconciliation = {
  /** The provider's spelling. Empty if it does not say, or was never read. */
  currency: string;
  /** The provider counts in our currency. Otherwise no day has a difference. */
  isComparable: boolean;
  /** Days with orders or changes of the balance, newest first. */
  days: ReconciledDay[];
};

/**
 * Compares what the orders of each day cost at a provider with what our balance there fell by. Both are summed up as they
 * happen, so this reads a row per day, of at most 30 days.
 */
export async function reconcileProvider(db: Db, providerId: number, now: number): Promise<Reconciliation> {
  const today = Math.floor(now / DAY_MS);
  const [[balance], rows] = await db.batch([
    db
      .select({ currency: providerBalances.currency, firstReadAt: providerBalances.firstReadAt })
      .from(providerBalances)
      .where(eq(providerBalances.providerId, providerId)),
    db
      .select({
        day: providerUseDays.day,
        fell: providerUseDays.spent,
        rose: providerUseDays.risen,
        cost: providerUseDays.cost,
      })
      .from(providerUseDays)
      .where(and(eq(providerUseDays.providerId, providerId), gte(providerUseDays.day, today - RECONCILED_DAYS + 1)))
      .orderBy(desc(providerUseDays.day)),
  ]);
  const { currency = "", firstReadAt = null } = balance ?? {};
  const isComparable = isOurCurrency(currency);
  const firstDay = firstReadAt === null ? null : Math.floor(firstReadAt / DAY_MS);
  return { currency, isComparable, days: rows.map((row) => judgeDay(row, { today, firstDay, isComparable })) };
}
