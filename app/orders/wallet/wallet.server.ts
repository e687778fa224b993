import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { readOnce } from "#app/db/read-once.server.ts";
import { wallets } from "#app/db/schema.server.ts";

/** Amounts in micro-units. `lowBalanceThreshold` is the threshold for `isLow`, or null if the user wants no notice. */
export type Wallet = { balance: number; owed: number; lowBalanceThreshold: number | null; isLow: boolean };

/** Reads it once for all loaders of a page. */
export function readShownWallet(db: Db, userId: string): Promise<Wallet> {
  return readOnce(db, `wallet\n${userId}`, () => readWallet(db, userId));
}

export async function readWallet(db: Db, userId: string): Promise<Wallet> {
  const [wallet] = await db
    .select({ balance: wallets.balance, owed: wallets.owed, lowBalanceThreshold: wallets.lowBalanceThreshold })
    .from(wallets)
    .where(eq(wallets.userId, userId))
    .limit(1);
  const { balance, owed, lowBalanceThreshold } = wallet ?? { balance: 0, owed: 0, lowBalanceThreshold: null };
  return { balance, owed, lowBalanceThreshold, isLow: lowBalanceThreshold !== null && balance < lowBalanceThreshold };
}
