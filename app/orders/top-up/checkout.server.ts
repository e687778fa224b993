import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type CheckoutStatus, checkouts } from "#app/db/schema.server.ts";
import { isEmailConfirmed } from "#app/email/confirmed-email.server.ts";
import { logError } from "#app/http/log.ts";
import { CURRENCY, MICRO, PRODUCT_NAME } from "#app/product.ts";
import { closedText, readClosedText } from "#app/settings/settings-store.server.ts";
import { LISTED_STATUSES } from "./checkout-status.ts";
import { type StripeEnv, stripeClient } from "./stripe-client.server.ts";

export type Checkout = typeof checkouts.$inferSelect;

/** Micro-units. The minimum is a setting. */
export const MAX_TOP_UP = 10_000 * MICRO;

const MINOR_DIGITS = new Intl.NumberFormat("en-US", { style: "currency", currency: CURRENCY }).resolvedOptions()
  .maximumFractionDigits as number;
/** Micro-units in the smallest unit that Stripe counts: a cent for dollars. */
export const MICRO_PER_MINOR_UNIT = MICRO / 10 ** MINOR_DIGITS;

/**
 * Opens a Stripe Checkout page for `amount` micro-units and returns its URL. Writes the row first, so that a payment
 * finds its customer even if this call is cut off. `returnQuery` is what the pages that Stripe leads back to are about. `unavailable`: Stripe was unreachable or refused.
 */
export async function startCheckout(
  db: Db,
  env: StripeEnv,
  customer: { userId: string; email: string },
  input: { amount: number; min: number; returnUrl: string; returnQuery?: string },
): Promise<
  | { ok: true; url: string }
  | { ok: false; reason: "bad_amount" | "email_unconfirmed" | "unavailable" }
  | { ok: false; reason: "maintenance"; text: string }
> {
  const { amount, min, returnUrl, returnQuery = "" } = input;
  if (amount < min || amount > MAX_TOP_UP || amount % MICRO_PER_MINOR_UNIT !== 0) {
    return { ok: false, reason: "bad_amount" };
  }
  const id = crypto.randomUUID();
  const now = Date.now();
  const inserted = await db.run(
    sql`insert into ${checkouts} (id, user_id, amount, created_at, updated_at)
        select ${id}, ${customer.userId}, ${amount}, ${now}, ${now} 
        where ${isEmailConfirmed(customer.userId)} and ${closedText} is null`,
  );
  if (inserted.meta.changes === 0) {
    const closed = await readClosedText(db);
    return closed === null
      ? { ok: false, reason: "email_unconfirmed" }
      : { ok: false, reason: "maintenance", text: closed };
  }
  const urlFor = (result: string) =>
    `${returnUrl}?${new URLSearchParams([[result, id], ...new URLSearchParams(returnQuery)])}`;
  try {
    const session = await stripeClient(env).checkout.sessions.create(
      {
        mode: "payment",
        client_reference_id: id,
        customer_email: customer.email,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: CURRENCY.toLowerCase(),
              unit_amount: amount / MICRO_PER_MINOR_UNIT,
              product_data: { name: `${PRODUCT_NAME} balance` },
            },
          },
        ],
        success_url: urlFor("checkout"),
        cancel_url: urlFor("canceled"),
      },
      { idempotencyKey: id },
    );
    if (!session.url) throw new Error("Stripe returned a session without a URL");
    await db.update(checkouts).set({ sessionId: session.id }).where(eq(checkouts.id, id));
    return { ok: true, url: session.url };
  } catch (error) {
    logError("stripe: checkout not opened", error, { checkout: id });
    await setCheckoutStatus(db, id, "failed", ["open"]);
    return { ok: false, reason: "unavailable" };
  }
}

/** Returns null if the checkout does not exist or is another user's. */
export async function readCheckout(db: Db, userId: string, id: string): Promise<Checkout | null> {
  const [found] = await db
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.id, id), eq(checkouts.userId, userId)))
    .limit(1);
  return found ?? null;
}

/** Returns the user's latest payments, newest first, without checkouts that were abandoned. */
export function listOwnPayments(db: Db, userId: string, limit: number) {
  return db
    .select({
      id: checkouts.id,
      status: checkouts.status,
      amount: checkouts.amount,
      paid: checkouts.paid,
      reversed: checkouts.reversed,
      createdAt: checkouts.createdAt,
    })
    .from(checkouts)
    .where(and(eq(checkouts.userId, userId), inArray(checkouts.status, LISTED_STATUSES)))
    .orderBy(desc(checkouts.createdAt))
    .limit(limit);
}

/** Moves a checkout to the status `to` if it has one of the statuses in `from`. */
export async function setCheckoutStatus(db: Db, id: string, to: CheckoutStatus, from: CheckoutStatus[]): Promise<void> {
  await db
    .update(checkouts)
    .set({ status: to, updatedAt: Date.now() })
    .where(and(eq(checkouts.id, id), inArray(checkouts.status, from)));
}
