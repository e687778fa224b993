import Stripe from "stripe";
import { log } from "#app/http/log.ts";
import { cappedFetch } from "#app/http/outgoing/capped-fetch.ts";

export type StripeEnv = Pick<Env, "STRIPE_SECRET_KEY" | "STRIPE_WEBHOOK_SECRET" | "STRIPE_API_URL">;

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1_048_576;

/** Returns whether both of Stripe's secrets are set. docs/payments.md describes the setup. */
export function acceptsCards(env: StripeEnv): boolean {
  return Boolean(env.STRIPE_SECRET_KEY && env.STRIPE_WEBHOOK_SECRET);
}

export function stripeClient(env: StripeEnv): Stripe {
  const base = new URL(env.STRIPE_API_URL ?? "https://api.stripe.com");
  return new Stripe(env.STRIPE_SECRET_KEY ?? "", {
    httpClient: Stripe.createFetchHttpClient(cappedFetch(MAX_RESPONSE_BYTES)),
    host: base.hostname,
    ...(base.port && { port: Number(base.port) }),
    protocol: base.protocol === "http:" ? "http" : "https",
    telemetry: false,
    timeout: TIMEOUT_MS,
  });
}

/**
 * Parses a webhook's event. Returns null if Stripe did not sign it, or not recently. `body` is the text as received.
 */
export async function readStripeEvent(
  env: StripeEnv,
  body: string,
  signature: string | null,
): Promise<Stripe.Event | null> {
  if (!env.STRIPE_WEBHOOK_SECRET || signature === null) return null;
  try {
    return await stripeClient(env).webhooks.constructEventAsync(
      body,
      signature,
      env.STRIPE_WEBHOOK_SECRET,
      undefined,
      Stripe.createSubtleCryptoProvider(),
    );
  } catch (error) {
    log("warn", "stripe: webhook rejected", { why: error instanceof Error ? error.name : String(error) });
    return null;
  }
}
