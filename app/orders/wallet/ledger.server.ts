import { eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ledger, wallets } from "#app/db/schema.server.ts";

/** Returns the balance in micro-units, 0 for an account without a wallet. */
export async function readBalance(db: Db, userId: string): Promise<number> {
  const [wallet] = await db.select().from(wallets).where(eq(wallets.userId, userId)).limit(1);
  return wallet?.balance ?? 0;
}

/** Adds `amount` micro-units (positive) to the balance, with its ledger entry. */
export async function credit(
  db: Db,
  userId: string,
  entry: { kind: "topup" | "adjustment"; amount: number; note: string },
): Promise<void> {
  if (!Number.isSafeInteger(entry.amount) || entry.amount <= 0) throw new RangeError("credit of a non-positive amount");
  await db.batch([
    db.insert(wallets).values({ userId }).onConflictDoNothing(),
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} + ${entry.amount}` })
      .where(eq(wallets.userId, userId)),
    db.insert(ledger).values({ userId, ...entry, balanceAfter: balanceNow(userId), createdAt: Date.now() }),
  ]);
}

/** Returns the statements that credit a card payment, for the batch that marks it as paid. */
export function creditCardPayment(db: Db, userId: string, amount: number, now: number) {
  return [
    db.insert(wallets).values({ userId }).onConflictDoNothing(),
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} + ${amount}` })
      .where(eq(wallets.userId, userId)),
    db
      .insert(ledger)
      .values({ userId, kind: "topup", amount, note: "Card", balanceAfter: balanceNow(userId), createdAt: now }),
  ] as const;
}

/**
 * The balance after a charge. It is negative, which the CHECK on the column refuses, if the balance does not cover the
 * charge, or if the customer owes anything (then even for a free order).
 */
export function balanceAfterCharge(charge: number) {
  return sql<number>`iif(${wallets.owed} = 0, ${wallets.balance} - ${charge}, -1)`;
}

/** The balance at this point of a batch. NULL without a wallet, which the column refuses. */
export function balanceNow(userId: string) {
  return sql<number>`(select ${wallets.balance} from ${wallets} where ${wallets.userId} = ${userId})`;
}
