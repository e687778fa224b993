import { and, eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { type CARD_REVERSAL_KINDS, cardReversals, checkouts, ledger, wallets } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";

/**
 * Refunds and disputes of card payments. Stripe's event is recorded first, whether or not the payment is known; the
 * balance then follows the record. See docs/decisions/orders/0012-card-refunds-and-disputes.md.
 */

/**
 * The latest state of one refund or dispute. `amount` is in minor units; `inEffect` means that the money left us. For one
 * id, the report with the later `eventAt` wins, then the one with the higher `eventRank`.
 */
export type CardReversal = Pick<
  typeof cardReversals.$inferInsert,
  "id" | "paymentIntent" | "amount" | "inEffect" | "status" | "eventAt" | "eventRank"
> & { kind: "refund" | "dispute" };

const STRIPE: Actor = { userId: "stripe", name: "Stripe" };
const MAX_TRIES = 10;
/** Rank of a final state within one second. */
const FINAL_RANK = 2;

/** Dispute states in which Stripe has withdrawn the money. An inquiry, or a dispute that was won, is not among them. */
const DISPUTE_WITHDRAWN = new Set<string>(["needs_response", "under_review", "lost"]);
const DISPUTE_CLOSED = new Set<string>(["won", "lost", "warning_closed", "prevented"]);

/** `at` is the time of Stripe's event, in ms since 1970. Returns null for a refund without a payment intent. */
export function reversalOfRefund(refund: Stripe.Refund, at: number): CardReversal | null {
  const paymentIntent = paymentIdOf(refund.payment_intent);
  if (paymentIntent === null) return null;
  const status = refund.status ?? "succeeded";
  const failed = status === "failed" || status === "canceled";
  const { id, amount } = refund;
  const eventRank = failed ? FINAL_RANK : 1;
  return { id, kind: "refund", paymentIntent, amount, inEffect: !failed, status, eventAt: at, eventRank };
}

/** `at` is the time of Stripe's event, in ms since 1970. Returns null for a dispute without a payment intent. */
export function reversalOfDispute(dispute: Stripe.Dispute, at: number): CardReversal | null {
  const paymentIntent = paymentIdOf(dispute.payment_intent);
  if (paymentIntent === null) return null;
  const { id, amount, status } = dispute;
  const inEffect = DISPUTE_WITHDRAWN.has(status);
  const eventRank = DISPUTE_CLOSED.has(status) ? FINAL_RANK : Number(inEffect);
  return { id, kind: "dispute", paymentIntent, amount, inEffect, status, eventAt: at, eventRank };
}

/** Records the state of one refund or dispute and adjusts the balance. */
export async function recordReversal(db: Db, reported: CardReversal): Promise<void> {
  const { id, paymentIntent, kind, amount } = reported;
  const isNew = sql`not exists (select 1 from ${cardReversals} where ${cardReversals.id} = ${id})`;
  await db.batch([
    // A refund known by its id is no longer part of the unnamed amount.
    db
      .update(cardReversals)
      .set({ amount: sql`max(0, ${cardReversals.amount} - ${amount})` })
      .where(and(eq(cardReversals.id, paymentIntent), sql`${kind} = 'refund'`, isNew)),
    db
      .insert(cardReversals)
      .values({ ...reported, createdAt: Date.now() })
      .onConflictDoUpdate({
        target: cardReversals.id,
        set: {
          amount: sql`excluded.amount`,
          inEffect: sql`excluded.in_effect`,
          status: sql`excluded.status`,
          eventAt: sql`excluded.event_at`,
          eventRank: sql`excluded.event_rank`,
        },
        setWhere: sql`(excluded.event_at, excluded.event_rank) > (${cardReversals.eventAt}, ${cardReversals.eventRank})`,
      }),
  ]);
  await applyReversals(db, paymentIntent);
}

/**
 * Records the total that was refunded of a payment, for events that name no refund. The part that no known refund
 * explains is kept as one "unnamed" row and shrinks as refunds become known by id.
 */
export async function recordRefundedTotal(db: Db, charge: Stripe.Charge, at: number): Promise<void> {
  const paymentIntent = paymentIdOf(charge.payment_intent);
  if (paymentIntent === null) return;
  const named = sql`(select coalesce(sum(${cardReversals.amount}), 0) from ${cardReversals}
    where ${cardReversals.paymentIntent} = ${paymentIntent} and ${cardReversals.kind} = 'refund')`;
  await db
    .insert(cardReversals)
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
      target: cardReversals.id,
      set: { amount: sql`max(${cardReversals.amount}, excluded.amount)` },
    });
  await applyReversals(db, paymentIntent);
}

/**
 * Brings the balance in line with a payment's recorded refunds and disputes: debits what is missing, or credits what was
 * debited too much. The customer owes what the balance does not cover. Safe to call at any time and concurrently.
 */
export async function applyReversals(db: Db, paymentIntent: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const [[checkout], rows] = await db.batch([
      db
        .select()
        .from(checkouts)
        .where(and(eq(checkouts.paymentIntent, paymentIntent), eq(checkouts.status, "paid")))
        .limit(1),
      db.select().from(cardReversals).where(eq(cardReversals.paymentIntent, paymentIntent)),
    ]);
    if (!checkout) return;
    const lost = rows.reduce((sum, { amount, inEffect }) => sum + (inEffect ? amount : 0), 0);
    const reversed = shareReversed({ paid: checkout.paid ?? 0, received: checkout.received ?? 0, lost });
    const change = reversed - checkout.reversed;
    if (change === 0) return;
    const isUnchanged = and(
      eq(checkouts.userId, checkout.userId),
      eq(checkouts.reversed, checkout.reversed),
      sql`(select coalesce(sum(${cardReversals.amount}), 0) from ${cardReversals}
        where ${cardReversals.paymentIntent} = ${paymentIntent} and ${cardReversals.inEffect} = 1) = ${lost}`,
    );
    const why = reasonOf(rows);
    const { userId } = checkout;
    const now = Date.now();
    try {
      await db.batch([
        db
          .update(checkouts)
          // The column refuses NULL, which stops the whole batch if the payment changed meanwhile.
          .set({ reversed: sql`iif(${isUnchanged}, ${reversed}, null)`, updatedAt: now })
          .where(eq(checkouts.id, checkout.id)),
        audit(db, STRIPE, {
          action: change > 0 ? "customer.reversal" : "customer.reversal_undone",
          subject: "customer",
          subjectId: userId,
          detail: { payment: checkout.id, amount: Math.abs(change), why },
        }),
        ...(change > 0 ? debit(db, userId, change, why, now) : creditBack(db, userId, -change, why, now)),
      ]);
      log("warn", "stripe: balance adjusted after a refund or dispute", { checkout: checkout.id, change });
      return;
    } catch (error) {
      if (!violates(error, "checkouts.reversed")) throw error;
    }
  }
  throw new Error(`card reversals of ${paymentIntent} kept changing for ${MAX_TRIES} tries`);
}

/**
 * Returns how much of the credited amount `paid` (micro-units) was lost when `lost` of `received` (minor units) was. A
 * payment in another currency is lost in proportion.
 */
export function shareReversed(payment: { paid: number; received: number; lost: number }): number {
  const { paid, received, lost } = payment;
  if (lost >= received) return lost > 0 ? paid : 0;
  return Number((BigInt(paid) * BigInt(lost)) / BigInt(received));
}

/** Debits what the balance covers and adds the rest to what is owed. */
function debit(db: Db, userId: string, amount: number, note: string, now: number) {
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

/** Credits an amount that was debited before. The ledger's trigger settles any debt from it. */
function creditBack(db: Db, userId: string, amount: number, note: string, now: number) {
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

type Row = { kind: (typeof CARD_REVERSAL_KINDS)[number]; inEffect: boolean; eventAt: number; eventRank: number };

/** Describes the latest report for the customer. */
function reasonOf(rows: Row[]): string {
  const [latest] = rows.toSorted((a, b) => b.eventAt - a.eventAt || b.eventRank - a.eventRank);
  if (latest?.kind === "dispute") {
    return latest.inEffect ? "Card payment disputed with the bank" : "Dispute of a card payment closed";
  }
  return latest?.inEffect === false ? "Refund of a card payment failed" : "Card payment refunded to the card";
}

/** Returns the id of a payment that Stripe sent as an id or as a whole object. */
export function paymentIdOf(payment: string | { id: string } | null): string | null {
  return typeof payment === "string" ? payment : (payment?.id ?? null);
}
