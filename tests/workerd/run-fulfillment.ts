import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { orders, providers } from "#app/db/schema.server.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import { newMemory } from "#app/orders/fulfillment/dispatcher-memory.server.ts";
import { runProvider } from "#app/orders/fulfillment/provider-round.server.ts";
import { holdLostRefills } from "#app/orders/fulfillment/refills.server.ts";
import { newSending, submitQueued } from "#app/orders/fulfillment/submission.server.ts";
import { holdLostSubmissions } from "#app/orders/fulfillment/submission-claims.server.ts";
import { providersWithWork } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { db } from "./customer.ts";
import { linkTo } from "./provider-links.ts";

/**
 * Runs the minute's jobs for orders, and one round of every dispatcher that would be awake, without their alarms. With
 * `only`, it is that provider's: those of a file's earlier tests have work too.
 */
export async function runFulfillment(only: number | null = null): Promise<void> {
  await holdLostSubmissions(db);
  await holdLostRefills(db);
  const awake = await providersWithWork(db);
  for (const providerId of awake.filter((id) => id === (only ?? id)))
    await runProvider(db, env, providerId, newMemory());
  await resolveCancellations(db);
}

/** Submits what is due at the provider of this order. */
export async function submitOrder(orderId: number): Promise<void> {
  const [found] = await db
    .select({ provider: providers })
    .from(orders)
    .innerJoin(providers, eq(providers.id, orders.providerId))
    .where(eq(orders.id, orderId));
  if (found) await submitQueued(linkTo(found.provider), newSending());
}
