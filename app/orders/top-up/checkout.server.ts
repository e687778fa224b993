import { and, desc, eq, inArray, sql } from "drizzle-orm";
import Stripe from "stripe";
import { type Db, violates } from "#app/db/db.server.ts";
import { type CheckoutStatus, checkouts } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { MICRO } from "#app/orders/rules/money.ts";
import { creditCardPayment } from "#app/orders/wallet/ledger.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";
import {
  applyReturns,
  paymentIdOf,
  recordRefundedTotal,
  recordReturn,
  returnOfDispute,
  returnOfRefund,
} from "./card-returns.server.ts";

/** Top-up by card through Stripe Checkout, where its two secrets are set. docs/payments.md tells how. */

export type StripeEnv = Pick<Env, "STRIPE_SECRET_KEY" | "STRIPE_WEBHOOK_SECRET" | "STRIPE_API_URL">;
export type Checkout = typeof checkouts.$inferSelect;

/** Micro-units. */
export const MIN_TOP_UP = 5 * MICRO;
export const MAX_TOP_UP = 10_000 * MICRO;

/** What a payment can still turn into `paid`: a failed or expired page may be followed by a late success. */
const UNPAID: CheckoutStatus[] = ["open", "pending", "failed", "expired"];
const MINOR_DIGITS = new Intl.NumberFormat("en-US", { style: "currency", currency: CURRENCY }).resolvedOptions()
  .maximumFractionDigits as number;
const MICRO_A_MINOR = MICRO / 10 ** MINOR_DIGITS;

export function acceptsCards(env: StripeEnv): boolean {
  return Boolean(env.STRIPE_SECRET_KEY && env.STRIPE_WEBHOOK_SECRET);
}

/**
 * Opens a payment page for `amount` micro-units and answers its address. The row is written first, so a payment is
 * known to us whatever is cut off afterwards. `unavailable`: Stripe could not be reached, or refused.
 */
export async function startCheckout(
  db: Db,
  env: StripeEnv,
  customer: { userId: string; email: string },
  input: { amount: number; returnUrl: string },
): Promise<{ ok: true; url: string } | { ok: false; reason: "bad_amount" | "unavailable" }> {
  const { amount, returnUrl } = input;
  if (amount < MIN_TOP_UP || amount > MAX_TOP_UP || amount % MICRO_A_MINOR !== 0) {
    return { ok: false, reason: "bad_amount" };
  }
  const id = crypto.randomUUID();
  const now = Date.now();
  await db.insert(checkouts).values({ id, userId: customer.userId, amount, createdAt: now, updatedAt: now });
  const back = (result: string) => `${returnUrl}?${new URLSearchParams({ [result]: id })}`;
  try {
    const session = await stripe(env).checkout.sessions.create(
      {
        mode: "payment",
        client_reference_id: id,
        customer_email: customer.email,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: CURRENCY.toLowerCase(),
              unit_amount: amount / MICRO_A_MINOR,
              product_data: { name: `${PRODUCT_NAME} balance` },
            },
          },
        ],
        success_url: back("checkout"),
        cancel_url: back("canceled"),
      },
      { idempotencyKey: id },
    );
    if (!session.url) throw new Error("Stripe gave no address of a payment page");
    await db.update(checkouts).set({ sessionId: session.id }).where(eq(checkouts.id, id));
    return { ok: true, url: session.url };
  } catch (error) {
    logError("stripe: no payment page", error, { checkout: id });
    await advance(db, id, "failed", ["open"]);
    return { ok: false, reason: "unavailable" };
  }
}

/** Null when it is not the user's. */
export async function readCheckout(db: Db, userId: string, id: string): Promise<Checkout | null> {
  const [found] = await db
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.id, id), eq(checkouts.userId, userId)))
    .limit(1);
  return found ?? null;
}

/** The user's latest payments, newest first; pages that were opened and left are not among them. */
export function listOwnPayments(db: Db, userId: string, limit: number) {
  return db
    .select({
      id: checkouts.id,
      status: checkouts.status,
      amount: checkouts.amount,
      paid: checkouts.paid,
      returned: checkouts.returned,
      createdAt: checkouts.createdAt,
    })
    .from(checkouts)
    .where(and(eq(checkouts.userId, userId), inArray(checkouts.status, ["pending", "paid", "review", "refused"])))
    .orderBy(desc(checkouts.createdAt))
    .limit(limit);
}

/** The event that a webhook brings, or null when it was not signed by Stripe just now. `body` is the text as received. */
export async function readStripeEvent(
  env: StripeEnv,
  body: string,
  signature: string | null,
): Promise<Stripe.Event | null> {
  if (!env.STRIPE_WEBHOOK_SECRET || signature === null) return null;
  try {
    const provider = Stripe.createSubtleCryptoProvider();
    return await stripe(env).webhooks.constructEventAsync(
      body,
      signature,
      env.STRIPE_WEBHOOK_SECRET,
      undefined,
      provider,
    );
  } catch (error) {
    log("warn", "stripe: webhook refused", { why: error instanceof Error ? error.name : String(error) });
    return null;
  }
}

/** Does what an event asks for. Events come more than once and in any order; a payment is credited once. */
export async function applyStripeEvent(db: Db, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded": {
      const session = event.data.object;
      const checkout = await ownCheckout(db, session);
      if (!checkout) return;
      // With some ways to pay the money comes days later, with an event of its own.
      if (session.payment_status === "paid") await creditPayment(db, checkout, session);
      else await advance(db, checkout.id, "pending", ["open"]);
      return;
    }
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const checkout = await ownCheckout(db, event.data.object);
      const to = event.type === "checkout.session.expired" ? "expired" : "failed";
      if (checkout) await advance(db, checkout.id, to, ["open", "pending"]);
      return;
    }
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated": {
      const told = returnOfRefund(event.data.object, event.created * 1000);
      if (told) await recordReturn(db, told);
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
      const told = returnOfDispute(event.data.object, event.created * 1000);
      if (told) await recordReturn(db, told);
      return;
    }
    default:
      log("info", "stripe: event without a meaning here", { event: event.id, type: event.type });
  }
}

async function creditPayment(db: Db, checkout: Checkout, session: Stripe.Checkout.Session): Promise<void> {
  const amount = (session.amount_total ?? 0) * MICRO_A_MINOR;
  const now = Date.now();
  const paymentIntent = paymentIdOf(session.payment_intent);
  const received = {
    sessionId: session.id,
    paymentIntent,
    received: session.amount_total ?? 0,
    receivedCurrency: session.currency,
    updatedAt: now,
  };
  const asItShould = session.currency === CURRENCY.toLowerCase() && amount > 0 && amount <= MAX_TOP_UP;
  if (!asItShould) {
    log("error", "stripe: a payment waits for a person: another currency, nothing, or too much", {
      checkout: checkout.id,
    });
    await db
      .update(checkouts)
      .set({ ...received, status: "review" })
      .where(and(eq(checkouts.id, checkout.id), inArray(checkouts.status, UNPAID)));
    return;
  }
  const { userId } = checkout;
  const unpaid = and(eq(checkouts.userId, userId), inArray(checkouts.status, UNPAID));
  try {
    await db.batch([
      db
        .update(checkouts)
        // NULL is refused by the column and stops the whole batch: what is paid already is not credited again.
        .set({ ...received, status: sql`iif(${unpaid}, 'paid', null)`, paid: amount })
        .where(eq(checkouts.id, checkout.id)),
      ...creditCardPayment(db, userId, amount, now),
    ]);
  } catch (error) {
    if (!violates(error, "checkouts.status")) throw error;
    const [found] = await db.select().from(checkouts).where(eq(checkouts.id, checkout.id));
    // Not booked by another delivery: the account was deleted that moment. Stripe tells again.
    if (found && UNPAID.includes(found.status)) throw error;
  }
  // A refund may have been told of before.
  if (paymentIntent !== null) await applyReturns(db, paymentIntent);
}

/** Another product of the same Stripe account may send its events here too: those are not ours to act on. */
async function ownCheckout(db: Db, session: Stripe.Checkout.Session): Promise<Checkout | null> {
  const [found] = await db
    .select()
    .from(checkouts)
    .where(eq(checkouts.id, session.client_reference_id ?? ""))
    .limit(1);
  if (found && session.mode === "payment" && (found.sessionId ?? session.id) === session.id) return found;
  log("warn", "stripe: a payment page that is not ours", { session: session.id });
  return null;
}

async function advance(db: Db, id: string, to: CheckoutStatus, from: CheckoutStatus[]): Promise<void> {
  await db
    .update(checkouts)
    .set({ status: to, updatedAt: Date.now() })
    .where(and(eq(checkouts.id, id), inArray(checkouts.status, from)));
}

function stripe(env: StripeEnv): Stripe {
  const base = new URL(env.STRIPE_API_URL ?? "https://api.stripe.com");
  return new Stripe(env.STRIPE_SECRET_KEY ?? "", {
    httpClient: Stripe.createFetchHttpClient(),
    host: base.hostname,
    ...(base.port && { port: Number(base.port) }),
    protocol: base.protocol === "http:" ? "http" : "https",
    telemetry: false,
    timeout: TIMEOUT_MS,
  });
}

const TIMEOUT_MS = 15_000;
