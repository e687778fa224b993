import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { wallets } from "#app/db/schema.server.ts";

/** Amounts in micro-units. `lowBalanceThreshold` is the threshold for `isLow`, or null if the user wants no notice. */
export type Wallet = { balance: number; owed: number; lowBalanceThreshold: number | null; isLow: boolean };

export async function readWallet(db: Db, userId: string): Promise<Wallet> {
  const [wallet] = await selectWallet(db, userId);
  const { balance, owed, lowBalanceThreshold } = wallet ?? { balance: 0, owed: 0, lowBalanceThreshold: null };
  return { balance, owed, lowBalanceThreshold, isLow: lowBalanceThreshold !== null && balance < lowBalanceThreshold };
}

/** For a batch, in which a page reads other things too. */
export function selectWallet(db: Db, userId: string) {
  return db
    .select({ balance: wallets.balance, owed: wallets.owed, lowBalanceThreshold: wallets.lowBalanceThreshold })
    .from(wallets)
    .where(eq(wallets.userId, userId))
    .limit(1);
}
