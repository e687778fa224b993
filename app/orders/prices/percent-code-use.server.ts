import { and, eq, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { addressOf, countAttempt, type Limit, type LimitResult } from "#app/db/rate-limit.server.ts";
import { orders, percentCodes, percentCodeUses } from "#app/db/schema.server.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { HOUR_MS } from "#app/time.ts";
import { percentCodeDigest } from "./code-digest.server.ts";
import type { CodeTerms } from "./percent-code.ts";

/** A code that a customer may use now, and for which orders. Amounts in micro-units. */
export type UsableCode = CodeTerms & {
  /** An order that costs less without it does not take it. */
  minCharge: number;
  /** Null: all networks. */
  network: string | null;
};

const MAX_ATTEMPTS_PER_ACCOUNT = 30;
const MAX_ATTEMPTS_PER_ADDRESS = 120;

/** Counts an attempt with a code against the hourly limits of the account and, if known, the IP address. Valid codes count too. */
export function countCodeAttempt(db: Db, request: Request | null, userId: string): Promise<LimitResult> {
  const address = request && addressOf(request);
  const limits: Limit[] = [
    { name: "percent code", who: userId, max: MAX_ATTEMPTS_PER_ACCOUNT, periodMs: HOUR_MS },
    ...(address === null
      ? []
      : [{ name: "percent code from", who: address, max: MAX_ATTEMPTS_PER_ADDRESS, periodMs: HOUR_MS }]),
  ];
  return countAttempt(db, limits);
}

/** Returns the code if this customer may use it now, or says why not. */
export async function readPercentCode(
  db: Db,
  userId: string,
  written: string,
  now = Date.now(),
): Promise<{ ok: true; code: UsableCode } | { ok: false; text: string }> {
  const [code] = await db
    .select({
      id: percentCodes.id,
      name: percentCodes.name,
      basisPoints: percentCodes.basisPoints,
      maxDiscount: percentCodes.maxDiscount,
      minCharge: percentCodes.minCharge,
      network: percentCodes.network,
      usesLeft: percentCodes.usesLeft,
      perCustomer: percentCodes.perCustomer,
      startsAt: percentCodes.startsAt,
      endsAt: percentCodes.endsAt,
      disabledAt: percentCodes.disabledAt,
      used: sql<number>`(select count(*) from ${percentCodeUses} as "uses" where "uses"."code_id" = ${percentCodes}."id" and "uses"."user_id" = ${userId})`,
    })
    .from(percentCodes)
    .where(eq(percentCodes.digest, percentCodeDigest(written)))
    .limit(1);
  if (!code) return refuse("We don't recognize this code. Check each character.");
  if (code.disabledAt !== null) return refuse("This code was disabled.");
  if (now < code.startsAt) return refuse("This code can't be used yet.");
  if (code.endsAt !== null && now >= code.endsAt) return refuse("This code has expired.");
  if (code.used >= code.perCustomer) {
    return refuse(code.perCustomer === 1 ? "You already used this code." : "You used this code as often as you may.");
  }
  if (code.usesLeft === 0) return refuse("This code is used up.");
  const { id, name, basisPoints, maxDiscount, minCharge, network } = code;
  return { ok: true, code: { id, name, basisPoints, maxDiscount, minCharge, network } };
}

/** Returns why an order can't use the code, or null. `usual` is its charge without any rule, in micro-units. */
export function codeRefusal(code: UsableCode, network: string, usual: number): string | null {
  if (code.network !== null && code.network !== network) return `This code is for ${code.network} only.`;
  return usual < code.minCharge ? `This code is for orders from ${formatMoney(code.minCharge)}.` : null;
}

/**
 * Returns the statements that use a code for the order with this key, for the batch that places it. They stop the batch if
 * the code can't be used anymore; `isCodeRefused` recognizes that.
 */
export function codeUse(db: Db, codeId: number, userId: string, idempotencyKey: string, now: number) {
  const { disabledAt, startsAt, endsAt, perCustomer, usesLeft } = percentCodes;
  const used = sql`(select count(*) from ${percentCodeUses} as "uses" where "uses"."code_id" = ${codeId} and "uses"."user_id" = ${userId})`;
  const isUsable = sql`${disabledAt} is null and ${startsAt} <= ${now} and (${endsAt} is null or ${endsAt} > ${now}) and ${used} < ${perCustomer}`;
  const orderId = sql<number>`(select ${orders.id} from ${orders} where ${and(eq(orders.userId, userId), eq(orders.idempotencyKey, idempotencyKey))})`;
  return [
    db
      .update(percentCodes)
      // The column refuses NULL and its CHECK refuses a negative count; either stops the whole batch.
      .set({ usesLeft: sql`iif(${isUsable}, ${usesLeft} - 1, null)` })
      .where(eq(percentCodes.id, codeId)),
    db.insert(percentCodeUses).values({ orderId, codeId, userId, createdAt: now }),
  ] as const;
}

/** Returns whether a batch was stopped because its code can't be used anymore. */
export function isCodeRefused(error: unknown): boolean {
  return violates(error, "percent_codes.uses_left") || violates(error, "percent_code_uses_left");
}

function refuse(text: string): { ok: false; text: string } {
  return { ok: false, text };
}
