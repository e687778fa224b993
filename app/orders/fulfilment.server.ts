import { and, asc, eq, lte } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, providers } from "#app/db/schema.server.ts";
import type { FulfilmentEnv } from "./provider-calls.server.ts";
import { syncStatuses } from "./status-sync.server.ts";
import { holdLostSubmissions, submitOrder } from "./submission.server.ts";

const SEND_AT_ONCE = 20;

/** What the cron trigger does each time: settle lost calls, send what waits, ask how the rest stands. */
export async function moveOrders(db: Db, env: FulfilmentEnv): Promise<void> {
  await holdLostSubmissions(db);
  const waiting = await db
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(providers, eq(providers.id, orders.providerId))
    .where(and(eq(orders.fulfilment, "queued"), eq(providers.enabled, true), lte(providers.openUntil, Date.now())))
    .orderBy(asc(orders.id))
    .limit(SEND_AT_ONCE);
  for (const { id } of waiting) await submitOrder(db, env, id);
  const ready = await db
    .select()
    .from(providers)
    .where(and(eq(providers.enabled, true), lte(providers.openUntil, Date.now())));
  for (const provider of ready) await syncStatuses(db, env, provider);
}
