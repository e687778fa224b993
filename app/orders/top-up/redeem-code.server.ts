import { and, eq, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { addressOf, countAttempt, type Limit } from "#app/db/rate-limit.server.ts";
import { ledger, redeemBatches, redeemCodes, redeemUses, wallets } from "#app/db/schema.server.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";
import { closedText, readClosedText } from "#app/settings/settings-store.server.ts";
import { HOUR_MS } from "#app/time.ts";

export type RedeemRefusal = "unknown" | "expired" | "disabled" | "used_up" | "used_by_you";
/** The credited amount, and the balance and the debt afterwards, all in micro-units. */
export type RedeemResult =
  | { ok: true; amount: number; balance: number; owed: number }
  | { ok: false; reason: RedeemRefusal }
  /** No money is taken now. The code stays as it was. */
  | { ok: false; reason: "maintenance"; text: string };

const MAX_ATTEMPTS_PER_ACCOUNT = 10;
const MAX_ATTEMPTS_PER_ADDRESS = 60;
/** What codes begin with. */
export const CODE_PREFIX = "GL";

/** Counts an attempt against the hourly limits of the account and the IP address. Valid codes count too. */
export function countRedeemAttempt(db: Db, request: Request, userId: string) {
  const address = addressOf(request);
  const limits: Limit[] = [
    { name: "redeem", who: userId, max: MAX_ATTEMPTS_PER_ACCOUNT, periodMs: HOUR_MS },
    ...(address === null
      ? []
      : [{ name: "redeem from", who: address, max: MAX_ATTEMPTS_PER_ADDRESS, periodMs: HOUR_MS }]),
  ];
  return countAttempt(db, limits);
}

/** Credits a code's amount in one batch, so that concurrent attempts never exceed the code's uses. */
export async function redeemCode(db: Db, userId: string, code: string): Promise<RedeemResult> {
  const [found] = await db
    .select({ id: redeemCodes.id, ending: redeemCodes.ending, amount: redeemBatches.amount })
    .from(redeemCodes)
    .innerJoin(redeemBatches, eq(redeemBatches.id, redeemCodes.batchId))
    .where(eq(redeemCodes.digest, codeDigest(code)))
    .limit(1);
  if (!found) return { ok: false, reason: "unknown" };
  const { id: codeId, amount } = found;
  const now = Date.now();
  const isValid = sql`${closedText} is null and ${redeemCodes.disabledAt} is null and exists (
    select 1 from ${redeemBatches} where ${redeemBatches.id} = ${redeemCodes.batchId}
      and ${redeemBatches.disabledAt} is null and (${redeemBatches.expiresAt} is null or ${redeemBatches.expiresAt} > ${now}))`;
  try {
    const results = await db.batch([
      db.insert(redeemUses).values({ codeId, userId, amount, createdAt: now }),
      db
        .update(redeemCodes)
        // The column refuses NULL and its CHECK refuses a negative count; either stops the whole batch.
        .set({ usesLeft: sql`iif(${isValid}, ${redeemCodes.usesLeft} - 1, null)` })
        .where(eq(redeemCodes.id, codeId)),
      db.insert(wallets).values({ userId }).onConflictDoNothing(),
      db
        .update(wallets)
        .set({ balance: sql`${wallets.balance} + ${amount}` })
        .where(eq(wallets.userId, userId)),
      db.insert(ledger).values({
        userId,
        kind: "topup",
        amount,
        note: `Code …${found.ending}`,
        balanceAfter: balanceNow(userId),
        createdAt: now,
      }),
      // Reads after the ledger entry, whose trigger settles any debt.
      db.select({ balance: wallets.balance, owed: wallets.owed }).from(wallets).where(eq(wallets.userId, userId)),
    ]);
    const [wallet] = results[5];
    return { ok: true, amount, balance: wallet?.balance ?? amount, owed: wallet?.owed ?? 0 };
  } catch (error) {
    if (violates(error, "redeem_uses.user_id")) return { ok: false, reason: "used_by_you" };
    if (violates(error, "redeem_uses_left")) return { ok: false, reason: "used_up" };
    if (violates(error, "redeem_codes.uses_left")) {
      const closed = await readClosedText(db);
      return closed === null
        ? { ok: false, reason: await whyInvalid(db, codeId) }
        : { ok: false, reason: "maintenance", text: closed };
    }
    throw error;
  }
}

async function whyInvalid(db: Db, codeId: number): Promise<RedeemRefusal> {
  const [expired] = await db
    .select({ id: redeemCodes.id })
    .from(redeemCodes)
    .innerJoin(redeemBatches, eq(redeemBatches.id, redeemCodes.batchId))
    .where(and(eq(redeemCodes.id, codeId), sql`${redeemBatches.expiresAt} <= ${Date.now()}`))
    .limit(1);
  return expired ? "expired" : "disabled";
}

/** Returns the SHA-256 digest (hex) of a code, ignoring case and hyphens and reading O as 0 and I or L as 1. */
export function codeDigest(code: string): string {
  const normalized = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replace(new RegExp(`^${CODE_PREFIX}`), "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  return sha256(`redeem:${normalized}`);
}
