import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import {
  callProvider,
  countFailure,
  type FulfillmentEnv,
  logProviderResponse,
} from "#app/orders/providers/provider-calls.server.ts";
import { readAddResponse } from "#app/orders/providers/provider-responses.ts";
import { closeOrder } from "./close-order.server.ts";

/** Longer than a call may take. If it ends while submitting, the outcome is unknown. */
export const LEASE_MS = 60_000;

/** Submits a queued order after our response was sent. The cron run does it if this is cut off. */
export function submitSoon({ db, env, waitUntil }: AppLoadContext, order: Order): void {
  if (order.fulfillment === "queued") waitUntil(submitOrder(db, env, order.id));
}

/**
 * Submits a queued order to its provider. Claims the row before the call, so that it is sent at most once. Returns the
 * outcome, or null if the order was not queued.
 */
export async function submitOrder(
  db: Db,
  env: FulfillmentEnv,
  orderId: number,
): Promise<"accepted" | "rejected" | "unknown" | null> {
  const [order] = await db
    .update(orders)
    .set({ fulfillment: "submitting", leaseUntil: Date.now() + LEASE_MS, attempts: sql`${orders.attempts} + 1` })
    .where(and(eq(orders.id, orderId), eq(orders.fulfillment, "queued")))
    .returning();
  if (!order || order.providerId === null || order.providerServiceId === null) return null;
  const [provider] = await db.select().from(providers).where(eq(providers.id, order.providerId));
  if (!provider) throw new Error(`order ${order.id} has unknown provider ${order.providerId}`);

  const response = await callProvider(env, provider, addParams(order));
  await logProviderResponse(db, provider, order.id, "add", response);
  const outcome = readAddResponse(response);
  await countFailure(db, provider, outcome.kind === "unknown");
  const released = { leaseUntil: 0, updatedAt: Date.now() };
  const claimed = and(eq(orders.id, order.id), eq(orders.fulfillment, "submitting"));
  switch (outcome.kind) {
    case "accepted":
      await db
        .update(orders)
        .set({ ...released, fulfillment: "accepted", providerOrderId: outcome.providerOrderId })
        .where(claimed);
      break;
    case "rejected":
      await closeOrder(db, order, {
        status: "Canceled",
        remains: order.quantity * order.runs,
        startCount: null,
        fulfillment: "rejected",
      });
      break;
    case "unknown":
      await db
        .update(orders)
        .set({ ...released, fulfillment: "held" })
        .where(claimed);
      log("warn", "order held: unknown submission outcome", { order: order.id, why: outcome.why });
      break;
    default:
      outcome satisfies never;
  }
  return outcome.kind;
}

/**
 * Holds orders whose submission was cut off. Without a lookup by our reference they can be neither resent nor refunded.
 */
export async function holdLostSubmissions(db: Db): Promise<void> {
  const lost = await db
    .update(orders)
    .set({ fulfillment: "held", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(eq(orders.fulfillment, "submitting"), lt(orders.leaseUntil, Date.now())))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: submission cut off", { order: id });
}

function addParams(order: Order): Record<string, string> {
  const drip: Record<string, string> =
    order.runs > 1 ? { runs: String(order.runs), interval: String(order.intervalMinutes) } : {};
  const providerFields = Object.fromEntries(
    Object.entries(order.providerFields).map(([name, value]) => [name, String(value)]),
  );
  return {
    action: "add",
    service: order.providerServiceId ?? "",
    link: order.link,
    quantity: String(order.quantity),
    ...drip,
    ...providerFields,
  };
}
