import { and, asc, eq, isNotNull, lt, lte, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import type { Db } from "#app/db/db.server.ts";
import { type WebhookEvent, wallets, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { unseal } from "#app/db/seal.server.ts";
import { CURRENCY } from "#app/product.ts";
import { decimal } from "./money.ts";
import type { Order } from "./orders.server.ts";
import { isPublicUrl } from "./public-url.ts";
import { nextAttempt } from "./webhook-retry.ts";
import { secretContext, type WebhookEnv } from "./webhooks.server.ts";

const SEND_AT_ONCE = 25;
const TIMEOUT_MS = 15_000;
/** Longer than a call may take, so that two turns do not send the same. */
const LEASE_MS = 60_000;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_ERROR_CHARACTERS = 300;

type ClosedOrder = Pick<Order, "id" | "serviceId" | "userId" | "charge"> & {
  status: "Completed" | "Partial" | "Canceled";
  remains: number;
  refunded: number;
};

const ORDER_EVENTS: Record<ClosedOrder["status"], WebhookEvent> = {
  Completed: "order.completed",
  Partial: "order.partial",
  Canceled: "order.canceled",
};

/** A statement for the batch that closes the order: one delivery for each of its owner's endpoints. */
export function tellOfOrder(db: Db, order: ClosedOrder) {
  const data = {
    order: order.id,
    service: order.serviceId,
    status: order.status,
    charge: decimal(order.charge - order.refunded, 2),
    remains: order.remains,
    currency: CURRENCY,
  };
  return tell(db, order.userId, ORDER_EVENTS[order.status], data);
}

/** Tells of balances that fell below what their owner asked to be told of, once until they are above it again. */
export async function tellOfLowBalances(db: Db): Promise<void> {
  const asked = and(isNotNull(wallets.lowBalanceAt), eq(wallets.lowBalanceTold, false));
  const low = await db
    .select()
    .from(wallets)
    .where(and(asked, lt(wallets.balance, wallets.lowBalanceAt)))
    .limit(SEND_AT_ONCE);
  for (const { userId, balance, lowBalanceAt } of low) {
    const data = { balance: decimal(balance, 2), below: decimal(lowBalanceAt ?? 0, 2), currency: CURRENCY };
    await db.batch([
      tell(db, userId, "balance.low", data),
      db.update(wallets).set({ lowBalanceTold: true }).where(eq(wallets.userId, userId)),
    ]);
  }
  await db
    .update(wallets)
    .set({ lowBalanceTold: false })
    .where(and(eq(wallets.lowBalanceTold, true), sql`${wallets.balance} >= ${wallets.lowBalanceAt}`));
}

/** Sends what is due. Called by the cron trigger; two turns at once send nothing twice. */
export async function sendWebhooks(db: Db, env: WebhookEnv): Promise<void> {
  const now = Date.now();
  const due = await db
    .select({ id: webhookDeliveries.id, nextAttemptAt: webhookDeliveries.nextAttemptAt })
    .from(webhookDeliveries)
    .where(lte(webhookDeliveries.nextAttemptAt, now))
    .orderBy(asc(webhookDeliveries.nextAttemptAt))
    .limit(SEND_AT_ONCE);
  await Promise.all(due.map(({ id, nextAttemptAt }) => sendOne(db, env, id, nextAttemptAt ?? now)));
}

/** The log is kept for 30 days. */
export async function forgetOldDeliveries(db: Db): Promise<void> {
  await db.delete(webhookDeliveries).where(lt(webhookDeliveries.createdAt, Date.now() - KEPT_MS));
}

async function sendOne(db: Db, env: WebhookEnv, id: string, dueAt: number): Promise<void> {
  const [delivery] = await db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: Date.now() + LEASE_MS, attempts: sql`${webhookDeliveries.attempts} + 1` })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.nextAttemptAt, dueAt)))
    .returning();
  if (!delivery) return;
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, delivery.endpointId));
  if (!endpoint) return;
  const outcome = await post(env, endpoint, delivery);
  const now = Date.now();
  await db
    .update(webhookDeliveries)
    .set({
      lastStatus: outcome.status,
      lastError: outcome.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
      deliveredAt: outcome.error === null ? now : null,
      nextAttemptAt: outcome.error === null ? null : nextAttempt(delivery.attempts, now, Math.random()),
    })
    .where(eq(webhookDeliveries.id, id));
}

async function post(
  env: WebhookEnv,
  endpoint: typeof webhookEndpoints.$inferSelect,
  { id, body }: { id: string; body: string },
): Promise<{ status: number | null; error: string | null }> {
  // The rules may have changed since the address was taken.
  if (!isPublicUrl(endpoint.url, env.ENVIRONMENT === "local")) return { status: null, error: "address not allowed" };
  try {
    const at = new Date();
    const response = await fetch(endpoint.url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": (await signatures(env, endpoint, id, at, body)).join(" "),
      },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `HTTP ${response.status}` };
  } catch (error) {
    return { status: null, error: String(error) };
  }
}

async function signatures(
  env: WebhookEnv,
  endpoint: typeof webhookEndpoints.$inferSelect,
  id: string,
  at: Date,
  body: string,
): Promise<string[]> {
  const overlaps = (endpoint.previousUntil ?? 0) > at.getTime();
  const sealed = [endpoint.secret, ...(overlaps && endpoint.previousSecret ? [endpoint.previousSecret] : [])];
  return Promise.all(
    sealed.map(async (value) =>
      new Webhook(await unseal(env.ENCRYPTION_KEYS, secretContext(endpoint.id), value)).sign(id, at, body),
    ),
  );
}

function tell(db: Db, userId: string, event: WebhookEvent, data: object) {
  const now = Date.now();
  const body = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data });
  return db.insert(webhookDeliveries).select(
    db
      .select({
        id: sql<string>`'msg_' || lower(hex(randomblob(16)))`.as("id"),
        endpointId: webhookEndpoints.id,
        event: sql<WebhookEvent>`${event}`.as("event"),
        body: sql<string>`${body}`.as("body"),
        attempts: sql<number>`0`.as("attempts"),
        nextAttemptAt: sql<number>`${now}`.as("next_attempt_at"),
        deliveredAt: sql<null>`null`.as("delivered_at"),
        lastStatus: sql<null>`null`.as("last_status"),
        lastError: sql<null>`null`.as("last_error"),
        createdAt: sql<number>`${now}`.as("created_at"),
      })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.userId, userId)),
  );
}
