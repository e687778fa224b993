import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, type WebhookEvent, wallets, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { CURRENCY } from "#app/product.ts";

const LOW_BALANCES_PER_RUN = 25;

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

/** Queues `balance.low` for balances below their owner's threshold, once until they are above it again. */
export async function queueLowBalanceWebhooks(db: Db): Promise<void> {
  // Literal, because SQLite uses a partial index only if the query repeats its condition.
  const isLow = sql`${wallets.lowBalanceNotified} = 0 and ${wallets.balance} < ${wallets.lowBalanceThreshold}`;
  const low = await db.select().from(wallets).where(isLow).limit(LOW_BALANCES_PER_RUN);
  for (const { userId, balance, lowBalanceThreshold } of low) {
    const data = { balance: decimal(balance, 2), below: decimal(lowBalanceThreshold ?? 0, 2), currency: CURRENCY };
    await runLogged("low balance webhook not queued", {}, () =>
      db.batch([
        queueWebhook(db, userId, "balance.low", data),
        db.update(wallets).set({ lowBalanceNotified: true }).where(eq(wallets.userId, userId)),
      ]),
    );
  }
  await db
    .update(wallets)
    .set({ lowBalanceNotified: false })
    .where(sql`${wallets.lowBalanceNotified} = 1 and ${wallets.balance} >= ${wallets.lowBalanceThreshold}`);
}

/** Queues one delivery for each endpoint of the user that is on. */
function queueWebhook(db: Db, userId: string, event: WebhookEvent, data: object) {
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
      .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.disabledAt))),
  );
}
