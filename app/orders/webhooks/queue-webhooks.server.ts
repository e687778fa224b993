import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { type Order, type WebhookEvent, wallets, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { CURRENCY } from "#app/product.ts";
import { type WakeEnv, wakeEndpoints } from "./wake-endpoints.server.ts";

const LOW_BALANCES_PER_RUN = 200;

type ClosedOrder = Pick<Order, "id" | "serviceId" | "userId" | "charge"> & {
  status: FinalStatus;
  remains: number;
  refunded: number;
};

const ORDER_EVENTS: Record<ClosedOrder["status"], WebhookEvent> = {
  Completed: "order.completed",
  Partial: "order.partial",
  Canceled: "order.canceled",
};

/** Returns the statement that queues one delivery per endpoint of the owner, for the batch that closes the order. */
export function queueOrderWebhook(db: Db, order: ClosedOrder) {
  const data = {
    order: order.id,
    service: order.serviceId,
    status: order.status,
    charge: decimal(order.charge - order.refunded, 2),
    remains: order.remains,
    currency: CURRENCY,
  };
  return queueWebhook(db, order.userId, ORDER_EVENTS[order.status], data);
}

/**
 * Queues `balance.low` for balances below their owner's threshold, once until they are above it again. Works on a bounded
 * number of wallets, found by partial indexes; the next run continues.
 */
export async function queueLowBalanceWebhooks(db: Db, env: WakeEnv): Promise<void> {
  // Literal, because SQLite uses a partial index only if the query repeats its condition.
  const isLow = sql`${wallets.lowBalanceNotified} = 0 and ${wallets.balance} < ${wallets.lowBalanceThreshold}`;
  const low = await db.select().from(wallets).where(isLow).limit(LOW_BALANCES_PER_RUN);
  const queued: { endpointId: string }[] = [];
  for (const { userId, balance, lowBalanceThreshold } of low) {
    const data = { balance: decimal(balance, 2), below: decimal(lowBalanceThreshold ?? 0, 2), currency: CURRENCY };
    await runLogged("low balance webhook not queued", {}, async () => {
      queued.push(...(await queueLowBalance(db, userId, data)));
    });
  }
  await wakeEndpoints(env, queued);
  const isRecovered = sql`${wallets.lowBalanceNotified} = 1 and ${wallets.balance} >= ${wallets.lowBalanceThreshold}`;
  const recovered = db.select({ userId: wallets.userId }).from(wallets).where(isRecovered).limit(LOW_BALANCES_PER_RUN);
  await db.update(wallets).set({ lowBalanceNotified: false }).where(inArray(wallets.userId, recovered));
}

/** Returns the endpoints that got a delivery. */
async function queueLowBalance(db: Db, userId: string, data: object): Promise<{ endpointId: string }[]> {
  // NULL, which the column refuses and which stops the batch, if an overlapping run has queued it.
  const notified = sql<boolean>`iif(${wallets.lowBalanceNotified} = 0, 1, null)`;
  try {
    const [endpoints] = await db.batch([
      queueWebhook(db, userId, "balance.low", data),
      db.update(wallets).set({ lowBalanceNotified: notified }).where(eq(wallets.userId, userId)),
    ]);
    return endpoints;
  } catch (error) {
    if (!violates(error, "wallets.low_balance_notified")) throw error;
    return [];
  }
}

/** Queues one delivery for each endpoint of the user that is on and wants it, and returns these endpoints. */
function queueWebhook(db: Db, userId: string, event: WebhookEvent, data: object) {
  const now = Date.now();
  const body = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data });
  const rows = db
    .select(deliveryOf(event, body, now))
    .from(webhookEndpoints)
    .where(
      and(
        eq(webhookEndpoints.userId, userId),
        eq(webhookEndpoints.wantsOrders, true),
        isNull(webhookEndpoints.disabledAt),
      ),
    );
  return db.insert(webhookDeliveries).select(rows).returning({ endpointId: webhookDeliveries.endpointId });
}

/** Returns the columns of a new delivery, to be inserted for each selected endpoint. `now` in ms. */
export function deliveryOf(event: WebhookEvent, body: string, now: number) {
  return {
    id: sql<number>`null`.as("id"),
    messageId: sql<string>`'msg_' || lower(hex(randomblob(16)))`.as("message_id"),
    endpointId: webhookEndpoints.id,
    event: sql<WebhookEvent>`${event}`.as("event"),
    body: sql<string>`${body}`.as("body"),
    attempts: sql<number>`0`.as("attempts"),
    nextAttemptAt: sql<number>`${now}`.as("next_attempt_at"),
    deliveredAt: sql<null>`null`.as("delivered_at"),
    lastStatus: sql<null>`null`.as("last_status"),
    lastError: sql<null>`null`.as("last_error"),
    createdAt: sql<number>`${now}`.as("created_at"),
  };
}
