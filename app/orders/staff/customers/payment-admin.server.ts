import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { cardReturns, checkouts, profiles } from "#app/db/schema.server.ts";
import { applyReturns } from "#app/orders/top-up/card-returns.server.ts";
import { MAX_TOP_UP } from "#app/orders/top-up/checkout.server.ts";
import { creditCardPayment } from "#app/orders/wallet/ledger.server.ts";

/** Card payments as staff sees them, and what staff decides about those that came in otherwise than asked for. */

export const PAYMENT_VIEWS = ["review", "returned", "all"] as const;
export type PaymentView = (typeof PAYMENT_VIEWS)[number];

/** Literal, so that SQLite sees that the partial indexes hold all that is asked for. */
const VIEWS: Record<PaymentView, SQL | undefined> = {
  review: sql`${checkouts.status} = 'review'`,
  returned: gt(checkouts.returned, sql.raw("0")),
  all: undefined,
};

export type PaymentCursor = { createdAt: number; id: string };

/** Newest first, from below the cursor. One more than `limit` comes back where there is more. */
export function listPayments(db: Db, view: PaymentView, before: PaymentCursor | null, limit: number) {
  const below =
    before === null ? undefined : sql`(${checkouts.createdAt}, ${checkouts.id}) < (${before.createdAt}, ${before.id})`;
  return db
    .select({
      id: checkouts.id,
      status: checkouts.status,
      amount: checkouts.amount,
      paid: checkouts.paid,
      received: checkouts.received,
      receivedCurrency: checkouts.receivedCurrency,
      returned: checkouts.returned,
      createdAt: checkouts.createdAt,
      email: profiles.email,
    })
    .from(checkouts)
    .leftJoin(profiles, eq(profiles.userId, checkouts.userId))
    .where(and(VIEWS[view], below))
    .orderBy(desc(checkouts.createdAt), desc(checkouts.id))
    .limit(limit + 1);
}

/** One payment with its customer and what Stripe told of it going back; null when there is none. */
export async function readPayment(db: Db, id: string) {
  const [found] = await db
    .select({ payment: checkouts, email: profiles.email })
    .from(checkouts)
    .leftJoin(profiles, eq(profiles.userId, checkouts.userId))
    .where(eq(checkouts.id, id))
    .limit(1);
  if (!found) return null;
  const { paymentIntent } = found.payment;
  const returns =
    paymentIntent === null
      ? []
      : await db
          .select()
          .from(cardReturns)
          .where(and(eq(cardReturns.paymentIntent, paymentIntent), gt(cardReturns.amount, 0)))
          .orderBy(desc(cardReturns.eventAt));
  return { ...found, returns };
}

export type PaymentRefusal = "not_found" | "bad_amount" | "changed" | "repeated";

/**
 * Credits a payment in review with `amount` micro-units, or says that it is not credited, with the audit entry, once.
 * What went back of it before is taken off again at once.
 */
export async function decidePayment(
  db: Db,
  actor: Actor,
  id: string,
  decision: { kind: "accept"; amount: number; reason: string } | { kind: "refuse"; reason: string },
  onceKey: string,
): Promise<{ ok: true } | { ok: false; reason: PaymentRefusal }> {
  const [payment] = await db.select().from(checkouts).where(eq(checkouts.id, id)).limit(1);
  if (!payment) return { ok: false, reason: "not_found" };
  const { userId, paymentIntent } = payment;
  const { kind, reason } = decision;
  const amount = kind === "accept" ? decision.amount : null;
  if (amount !== null && !(Number.isSafeInteger(amount) && amount > 0 && amount <= MAX_TOP_UP)) {
    return { ok: false, reason: "bad_amount" };
  }
  const inReview = and(eq(checkouts.userId, userId), eq(checkouts.status, "review"));
  const now = Date.now();
  try {
    await db.batch([
      audit(db, actor, {
        action: `customer.payment_${kind}`,
        subject: "customer",
        subjectId: userId,
        detail: { payment: id, ...(amount !== null && { amount }), reason },
        onceKey,
      }),
      db
        .update(checkouts)
        .set({
          status: sql`iif(${inReview}, ${kind === "accept" ? "paid" : "refused"}, null)`,
          paid: amount,
          updatedAt: now,
        })
        .where(eq(checkouts.id, id)),
      ...(amount === null ? [] : creditCardPayment(db, userId, amount, now)),
    ]);
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "checkouts.status")) return { ok: false, reason: "changed" };
    throw error;
  }
  if (paymentIntent !== null) await applyReturns(db, paymentIntent);
  return { ok: true };
}
