import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { checkouts, ledger, spendingDays, users, wallets } from "#app/db/schema.server.ts";
import { salesDayOf } from "#app/orders/sales/sales-period.ts";
import { type CustomerFacts, PAYMENTS_READ, REFUND_DAYS } from "./customer-sign-text.ts";

/**
 * Reads the facts about a customer's payments, in one trip: at most 50 payments and 30 days. Compares nobody's devices or
 * addresses.
 */
export async function readCustomerFacts(db: Db, userId: string, now: number): Promise<CustomerFacts | null> {
  const [[account], payments, [firstTopUp], [recent]] = await db.batch([
    db
      .select({
        createdAt: users.createdAt,
        emailConfirmedAt: users.emailConfirmedAt,
        suspendedAt: users.suspendedAt,
        owed: sql<number>`coalesce(${wallets.owed}, 0)`,
      })
      .from(users)
      .leftJoin(wallets, eq(wallets.userId, users.id))
      .where(eq(users.id, userId)),
    db
      .select({
        status: checkouts.status,
        amount: checkouts.amount,
        reversed: checkouts.reversed,
        createdAt: checkouts.createdAt,
        // Named in full: drizzle leaves out the table of a column where only one is selected from.
        reversedAt: sql<number | null>`iif(checkouts.reversed > 0, (select max(r.created_at) from card_reversals r
          where r.payment_intent = checkouts.payment_intent and r.in_effect = 1), null)`,
      })
      .from(checkouts)
      .where(eq(checkouts.userId, userId))
      .orderBy(desc(checkouts.createdAt))
      .limit(PAYMENTS_READ),
    db
      .select({ amount: ledger.amount, at: ledger.createdAt })
      .from(ledger)
      // The literal lets SQLite use the index of what is no charge.
      .where(and(eq(ledger.userId, userId), sql`${ledger.kind} = 'topup'`, sql`${ledger.kind} <> 'charge'`))
      .orderBy(asc(ledger.id))
      .limit(1),
    db
      .select({
        charged: sql<number>`coalesce(sum(${spendingDays.spent} + ${spendingDays.refunded}), 0)`,
        refunded: sql<number>`coalesce(sum(${spendingDays.refunded}), 0)`,
      })
      .from(spendingDays)
      .where(and(eq(spendingDays.userId, userId), gt(spendingDays.day, salesDayOf(now) - REFUND_DAYS))),
  ]);
  if (!account) return null;
  return {
    ...account,
    firstTopUp: firstTopUp ?? null,
    payments,
    recent: recent ?? { charged: 0, refunded: 0 },
  };
}
