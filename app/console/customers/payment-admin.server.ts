import { and, desc, eq, gt, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { cardReversals, checkouts, profiles } from "#app/db/schema.server.ts";
import { applyReversals } from "#app/orders/top-up/card-reversals.server.ts";
import { MAX_TOP_UP } from "#app/orders/top-up/checkout.server.ts";
import { creditCardPayment } from "#app/orders/wallet/ledger.server.ts";

/** A card payment as staff see it, and their decisions about mismatched ones. */

export type StaffPayment = NonNullable<Awaited<ReturnType<typeof readPayment>>>;

/** Returns a payment with its customer, refunds and disputes, or null. */
export async function readPayment(db: Db, id: string) {
  const [found] = await db
    .select({
      payment: {
        userId: checkouts.userId,
        sessionId: checkouts.sessionId,
        amount: checkouts.amount,
        paid: checkouts.paid,
        received: checkouts.received,
        receivedCurrency: checkouts.receivedCurrency,
        paymentIntent: checkouts.paymentIntent,
        reversed: checkouts.reversed,
        status: checkouts.status,
        createdAt: checkouts.createdAt,
      },
      email: profiles.email,
    })
    .from(checkouts)
    .leftJoin(profiles, eq(profiles.userId, checkouts.userId))
    .where(eq(checkouts.id, id))
    .limit(1);
  if (!found) return null;
  const { paymentIntent } = found.payment;
  const reversals =
    paymentIntent === null
      ? []
      : await db
          .select({
            id: cardReversals.id,
            kind: cardReversals.kind,
            amount: cardReversals.amount,
            status: cardReversals.status,
            inEffect: cardReversals.inEffect,
            eventAt: cardReversals.eventAt,
          })
          .from(cardReversals)
          .where(and(eq(cardReversals.paymentIntent, paymentIntent), gt(cardReversals.amount, 0)))
          .orderBy(desc(cardReversals.eventAt));
  return { ...found, reversals };
}

export type PaymentRefusal = "not_found" | "bad_amount" | "changed" | "repeated";

/**
 * Credits a payment in review with `amount` micro-units, or marks it as refused, once, in one batch with the audit entry.
 * Then debits the refunds and disputes that arrived before.
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
  if (paymentIntent !== null) await applyReversals(db, paymentIntent);
  return { ok: true };
}
