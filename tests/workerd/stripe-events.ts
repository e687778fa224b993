import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { inject } from "vitest";
import { checkouts } from "#app/db/schema.server.ts";
import { startCheckout } from "#app/orders/top-up/checkout.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db } from "./customer.ts";

/** Stripe events, signed by its own library and delivered to the worker. */

const SITE = "https://growline.example";
export const RETURN_URL = `${SITE}/dashboard/top-up`;
export const TWENTY = 20 * MICRO;

export function stripeEnv() {
  return { ...env, STRIPE_API_URL: inject("stripe").url };
}

/** Opens a checkout of $20 that is not paid yet. */
export async function opened(customer?: { userId: string; email: string }) {
  const { userId, email } = customer ?? (await customerWith(0));
  const created = await startCheckout(
    db,
    stripeEnv(),
    { userId, email },
    { amount: TWENTY, min: MICRO, returnUrl: RETURN_URL },
  );
  if (!created.ok) throw new Error(created.reason);
  const [checkout] = await db.select().from(checkouts).where(eq(checkouts.userId, userId));
  if (!checkout) throw new Error("no row");
  return { checkout, url: created.url, userId };
}

export function checkoutEvent(
  type: string,
  checkout: { id: string; sessionId: string | null },
  session: object,
): string {
  return stripeEvent(type, {
    id: checkout.sessionId,
    object: "checkout.session",
    mode: "payment",
    client_reference_id: checkout.id,
    payment_intent: `pi_${checkout.id}`,
    amount_total: 2000,
    currency: "usd",
    ...session,
  });
}

/** `created` is in seconds since 1970. */
export function stripeEvent(type: string, object: object, created = Math.floor(Date.now() / 1000)): string {
  return JSON.stringify({ id: `evt_${crypto.randomUUID()}`, object: "event", created, type, data: { object } });
}

export async function deliver(body: string, signature?: string | null): Promise<Response> {
  const given = signature === undefined ? await sign(body) : signature;
  const headers = new Headers({
    "Content-Type": "application/json",
    ...(given !== null && { "Stripe-Signature": given }),
  });
  return SELF.fetch(`${SITE}/stripe/webhook`, { method: "POST", headers, body });
}

/** Signs an event with Stripe's own library. */
export function sign(payload: string, given: { secret?: string; timestamp?: number } = {}): Promise<string> {
  const cryptoProvider = Stripe.createSubtleCryptoProvider();
  return new Stripe("sk_test_any").webhooks.generateTestHeaderStringAsync({
    payload,
    secret: env.STRIPE_WEBHOOK_SECRET ?? "",
    cryptoProvider,
    ...given,
  });
}
