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

/** Longer than a provider's call may take. A lease that ran out while submitting means nobody knows. */
export const LEASE_MS = 60_000;

/** Sends the order after the answer, if it is for a provider. Cron does it when this is cut off. */
export function submitSoon({ db, env, waitUntil }: AppLoadContext, order: Order): void {
  if (order.fulfillment === "queued") waitUntil(submitOrder(db, env, order.id));
}

/**
 * Sends one queued order to its provider. The row is claimed before the call, so it is sent at most once. Answers what
 * came of it; null when it was not there to send.
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
  if (!provider) throw new Error(`order ${order.id} names provider ${order.providerId}, which is gone`);

  const answer = await callProvider(env, provider, addParams(order));
  await logProviderResponse(db, provider, order.id, "add", answer);
  const outcome = readAddResponse(answer);
  await countFailure(db, provider, outcome.kind === "unknown");
  const settled = { leaseUntil: 0, updatedAt: Date.now() };
  const claimed = and(eq(orders.id, order.id), eq(orders.fulfillment, "submitting"));
  switch (outcome.kind) {
    case "accepted":
      await db
        .update(orders)
        .set({ ...settled, fulfillment: "accepted", providerOrderId: outcome.providerOrderId })
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
        .set({ ...settled, fulfillment: "held" })
        .where(claimed);
      log("warn", "order held: its submission has no known outcome", { order: order.id, why: outcome.why });
      break;
    default:
      outcome satisfies never;
  }
  return outcome.kind;
}

/** The convention has no look-up by our reference, so a call that was cut off can be neither repeated nor refunded. */
export async function holdLostSubmissions(db: Db): Promise<void> {
  const lost = await db
    .update(orders)
    .set({ fulfillment: "held", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(eq(orders.fulfillment, "submitting"), lt(orders.leaseUntil, Date.now())))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: its submission was cut off", { order: id });
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
