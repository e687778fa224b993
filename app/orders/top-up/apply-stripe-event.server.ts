import { and, eq, inArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { type Db, violates } from "#app/db/db.server.ts";
import { checkouts } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { creditCardPayment } from "#app/orders/wallet/ledger.server.ts";
import { CURRENCY } from "#app/product.ts";
import {
  applyReversals,
  paymentIdOf,
  recordRefundedTotal,
  recordReversal,
  reversalOfDispute,
  reversalOfRefund,
} from "./card-reversals.server.ts";
import { type Checkout, MAX_TOP_UP, MICRO_PER_MINOR_UNIT, setCheckoutStatus } from "./checkout.server.ts";
import { UNPAID_STATUSES } from "./checkout-status.ts";

/** Applies an event. Stripe repeats events and sends them in any order; a payment is still credited once. */
export async function applyStripeEvent(db: Db, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded": {
      const session = event.data.object;
      const checkout = await findCheckout(db, session);
      if (!checkout) return;
      // Some payment methods take days to pay out and send another event when they do.
      if (session.payment_status === "paid") await creditPayment(db, checkout, session);
      else await setCheckoutStatus(db, checkout.id, "pending", ["open"]);
      return;
    }
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const checkout = await findCheckout(db, event.data.object);
      const to = event.type === "checkout.session.expired" ? "expired" : "failed";
      if (checkout) await setCheckoutStatus(db, checkout.id, to, ["open", "pending"]);
      return;
    }
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated": {
      const refund = reversalOfRefund(event.data.object, event.created * 1000);
      if (refund) await recordReversal(db, refund);
      return;
    }
    case "charge.refunded":
      await recordRefundedTotal(db, event.data.object, event.created * 1000);
      return;
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated": {
      const dispute = reversalOfDispute(event.data.object, event.created * 1000);
      if (dispute) await recordReversal(db, dispute);
      return;
    }
    default:
      log("info", "stripe: event ignored", { event: event.id, type: event.type });
  }
}

async function creditPayment(db: Db, checkout: Checkout, session: Stripe.Checkout.Session): Promise<void> {
  const amount = (session.amount_total ?? 0) * MICRO_PER_MINOR_UNIT;
  const now = Date.now();
  const paymentIntent = paymentIdOf(session.payment_intent);
  const received = {
    sessionId: session.id,
    paymentIntent,
    received: session.amount_total ?? 0,
    receivedCurrency: session.currency,
    updatedAt: now,
  };
  const isExpected = session.currency === CURRENCY.toLowerCase() && amount > 0 && amount <= MAX_TOP_UP;
  if (!isExpected) {
    log("error", "stripe: payment held for review: unexpected currency or amount", { checkout: checkout.id });
    await db
      .update(checkouts)
      .set({ ...received, status: "review" })
      .where(and(eq(checkouts.id, checkout.id), inArray(checkouts.status, UNPAID_STATUSES)));
    return;
  }
  const { userId } = checkout;
  const unpaid = and(eq(checkouts.userId, userId), inArray(checkouts.status, UNPAID_STATUSES));
  try {
    await db.batch([
      db
        .update(checkouts)
        // The column refuses NULL, which stops the whole batch: a paid checkout is not credited again.
        .set({ ...received, status: sql`iif(${unpaid}, 'paid', null)`, paid: amount })
        .where(eq(checkouts.id, checkout.id)),
      ...creditCardPayment(db, userId, amount, now),
    ]);
  } catch (error) {
    if (!violates(error, "checkouts.status")) throw error;
    const [found] = await db.select().from(checkouts).where(eq(checkouts.id, checkout.id));
    // Still unpaid, so no other delivery credited it: the account was being deleted. Stripe will retry.
    if (found && UNPAID_STATUSES.includes(found.status)) throw error;
  }
  // A refund may have been recorded before the payment.
  if (paymentIntent !== null) await applyReversals(db, paymentIntent);
}

/** Returns null for a session of another product: its events reach every webhook of the same Stripe account. */
async function findCheckout(db: Db, session: Stripe.Checkout.Session): Promise<Checkout | null> {
  const [found] = await db
    .select()
    .from(checkouts)
    .where(eq(checkouts.id, session.client_reference_id ?? ""))
    .limit(1);
  if (found && session.mode === "payment" && (found.sessionId ?? session.id) === session.id) return found;
  log("warn", "stripe: unknown checkout session", { session: session.id });
  return null;
}
