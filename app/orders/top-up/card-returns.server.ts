import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { type CARD_RETURN_KINDS, cardReturns, checkouts, ledger, wallets } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";

/**
 * Card payments that went back, by a refund or a dispute. Stripe's word is kept first, whether or not the payment is
 * known; then the balance follows what is kept. See docs/decisions/0012-card-refunds-and-disputes.md.
 */

/** `amount` in minor units. `inEffect`: the money is gone. Of two words on one id, the later by `eventAt` and rank holds. */
export type CardReturn = Pick<
  typeof cardReturns.$inferInsert,
  "id" | "paymentIntent" | "amount" | "inEffect" | "status" | "eventAt" | "eventRank"
> & { kind: "refund" | "dispute" };

const STRIPE: Actor = { userId: "stripe", name: "Stripe" };
const MOST_TRIES = 10;
const FINAL = 2;

/** A dispute in these states has taken the money; an inquiry, or one that was won, has not. */
const DISPUTE_TAKES = new Set<string>(["needs_response", "under_review", "lost"]);
const DISPUTE_ENDS = new Set<string>(["won", "lost", "warning_closed", "prevented"]);

/** `at`: when Stripe made the event, ms. Null for a refund of something that is no payment page. */
export function returnOfRefund(refund: Stripe.Refund, at: number): CardReturn | null {
  const paymentIntent = paymentIdOf(refund.payment_intent);
  if (paymentIntent === null) return null;
  const status = refund.status ?? "succeeded";
  const failed = status === "failed" || status === "canceled";
  const told = { eventAt: at, eventRank: failed ? FINAL : 1 };
  return { id: refund.id, kind: "refund", paymentIntent, amount: refund.amount, inEffect: !failed, status, ...told };
}

export function returnOfDispute(dispute: Stripe.Dispute, at: number): CardReturn | null {
  const paymentIntent = paymentIdOf(dispute.payment_intent);
  if (paymentIntent === null) return null;
  const { id, amount, status } = dispute;
  const inEffect = DISPUTE_TAKES.has(status);
  const eventRank = DISPUTE_ENDS.has(status) ? FINAL : Number(inEffect);
  return { id, kind: "dispute", paymentIntent, amount, inEffect, status, eventAt: at, eventRank };
}

/** Keeps what was told of one refund or dispute, and lets the balance follow. */
export async function recordReturn(db: Db, told: CardReturn): Promise<void> {
  const { id, paymentIntent, kind, amount } = told;
  const isNew = sql`not exists (select 1 from ${cardReturns} where ${cardReturns.id} = ${id})`;
  await db.batch([
    // Named at last, so no longer part of what is unnamed.
    db
      .update(cardReturns)
      .set({ amount: sql`max(0, ${cardReturns.amount} - ${amount})` })
      .where(and(eq(cardReturns.id, paymentIntent), sql`${kind} = 'refund'`, isNew)),
    db
      .insert(cardReturns)
      .values({ ...told, createdAt: Date.now() })
      .onConflictDoUpdate({
        target: cardReturns.id,
        set: {
          amount: sql`excluded.amount`,
          inEffect: sql`excluded.in_effect`,
          status: sql`excluded.status`,
          eventAt: sql`excluded.event_at`,
          eventRank: sql`excluded.event_rank`,
        },
        setWhere: sql`(excluded.event_at, excluded.event_rank) > (${cardReturns.eventAt}, ${cardReturns.eventRank})`,
      }),
  ]);
  await applyReturns(db, paymentIntent);
}

/**
 * Keeps what a payment's refunds come to together (minor units), which is all that some events tell. What is not known
 * by name counts as well, until it is.
 */
export async function recordRefundedTotal(db: Db, charge: Stripe.Charge, at: number): Promise<void> {
  const paymentIntent = paymentIdOf(charge.payment_intent);
  if (paymentIntent === null) return;
  const named = sql`(select coalesce(sum(${cardReturns.amount}), 0) from ${cardReturns}
    where ${cardReturns.paymentIntent} = ${paymentIntent} and ${cardReturns.kind} = 'refund')`;
  await db
    .insert(cardReturns)
    .values({
      id: paymentIntent,
      paymentIntent,
      kind: "unnamed",
      amount: sql`max(0, ${charge.amount_refunded} - ${named})`,
      inEffect: true,
      status: "refunded",
      eventAt: at,
      eventRank: 0,
      createdAt: Date.now(),
    })
    .onConflictDoUpdate({
      target: cardReturns.id,
      set: { amount: sql`max(${cardReturns.amount}, excluded.amount)` },
    });
  await applyReturns(db, paymentIntent);
}

/**
 * Takes off the balance what went back of a payment and was not taken yet, or gives again what did not go back after
 * all. What the balance does not cover is owed. May be called at any time, by any number at once.
 */
export async function applyReturns(db: Db, paymentIntent: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const [[checkout], rows] = await db.batch([
      db
        .select()
        .from(checkouts)
        .where(and(eq(checkouts.paymentIntent, paymentIntent), eq(checkouts.status, "paid")))
        .limit(1),
      db.select().from(cardReturns).where(eq(cardReturns.paymentIntent, paymentIntent)),
    ]);
    if (!checkout) return;
    const gone = rows.reduce((sum, { amount, inEffect }) => sum + (inEffect ? amount : 0), 0);
    const returned = shareReturned({ paid: checkout.paid ?? 0, received: checkout.received ?? 0, gone });
    const change = returned - checkout.returned;
    if (change === 0) return;
    const stillSo = and(
      eq(checkouts.userId, checkout.userId),
      eq(checkouts.returned, checkout.returned),
      sql`(select coalesce(sum(${cardReturns.amount}), 0) from ${cardReturns}
        where ${cardReturns.paymentIntent} = ${paymentIntent} and ${cardReturns.inEffect} = 1) = ${gone}`,
    );
    const why = reasonOf(rows);
    const { userId } = checkout;
    const now = Date.now();
    try {
      await db.batch([
        db
          .update(checkouts)
          // NULL is refused by the column and stops the whole batch when somebody was faster.
          .set({ returned: sql`iif(${stillSo}, ${returned}, null)`, updatedAt: now })
          .where(eq(checkouts.id, checkout.id)),
        audit(db, STRIPE, {
          action: change > 0 ? "customer.reversal" : "customer.reversal_undone",
          subject: "customer",
          subjectId: userId,
          detail: { payment: checkout.id, amount: Math.abs(change), why },
        }),
        ...(change > 0 ? take(db, userId, change, why, now) : give(db, userId, -change, why, now)),
      ]);
      log("warn", "stripe: a card payment went back, or came again", { checkout: checkout.id, change });
      return;
    } catch (error) {
      if (!violates(error, "checkouts.returned")) throw error;
    }
  }
  throw new Error("what went back of a payment does not stand still");
}

/** How much of what was credited went back with `gone`. A payment in another currency goes back in proportion. */
export function shareReturned(payment: { paid: number; received: number; gone: number }): number {
  const { paid, received, gone } = payment;
  if (gone >= received) return gone > 0 ? paid : 0;
  return Number((BigInt(paid) * BigInt(gone)) / BigInt(received));
}

function take(db: Db, userId: string, amount: number, note: string, now: number) {
  const covered = sql`min(${wallets.balance}, ${amount})`;
  return [
    db.insert(ledger).select(
      sql`select null, ${wallets.userId}, null, 'reversal', -${covered}, ${wallets.balance} - ${covered}, ${note}, ${now}
        from ${wallets} where ${wallets.userId} = ${userId} and ${wallets.balance} > 0`,
    ),
    db
      .update(wallets)
      .set({
        balance: sql`${wallets.balance} - ${covered}`,
        owed: sql`${wallets.owed} + ${amount} - ${covered}`,
      })
      .where(eq(wallets.userId, userId)),
  ] as const;
}

/** What is still owed is settled from it by the ledger's trigger. */
function give(db: Db, userId: string, amount: number, note: string, now: number) {
  return [
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} + ${amount}` })
      .where(eq(wallets.userId, userId)),
    db
      .insert(ledger)
      .values({ userId, kind: "reversal", amount, note, balanceAfter: balanceNow(userId), createdAt: now }),
  ] as const;
}

type Row = { kind: (typeof CARD_RETURN_KINDS)[number]; inEffect: boolean; eventAt: number; eventRank: number };

/** What the customer reads, by what was told last. */
function reasonOf(rows: Row[]): string {
  const [last] = rows.toSorted((a, b) => b.eventAt - a.eventAt || b.eventRank - a.eventRank);
  if (last?.kind === "dispute") {
    return last.inEffect ? "Card payment disputed with the bank" : "The dispute of a card payment is over";
  }
  return last?.inEffect === false ? "The refund of a card payment failed" : "Card payment refunded to the card";
}

/** Stripe names a payment, or sends it whole. */
export function paymentIdOf(payment: string | { id: string } | null): string | null {
  return typeof payment === "string" ? payment : (payment?.id ?? null);
}
