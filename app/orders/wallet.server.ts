import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { wallets } from "#app/db/schema.server.ts";

/** All in micro-units; `lowBalanceAt` is null when the user asked for no notice. */
export async function readWallet(
  db: Db,
  userId: string,
): Promise<{ balance: number; owed: number; lowBalanceAt: number | null }> {
  const [wallet] = await db
    .select({ balance: wallets.balance, owed: wallets.owed, lowBalanceAt: wallets.lowBalanceAt })
    .from(wallets)
    .where(eq(wallets.userId, userId))
    .limit(1);
  return wallet ?? { balance: 0, owed: 0, lowBalanceAt: null };
}
