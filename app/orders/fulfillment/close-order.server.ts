import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Db, violates } from "#app/db/db.server.ts";
import { type FulfillmentState, ledger, type Order, orders, wallets } from "#app/db/schema.server.ts";
import { historyAfter } from "#app/db/steps/order-steps.server.ts";
import { refillDeadline } from "#app/orders/delivery/refill-terms.ts";
import { countEnded } from "#app/orders/delivery/service-times.server.ts";
import { NOTHING, type OrderCost } from "#app/orders/providers/order-cost.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { orderNotification } from "#app/orders/rules/order-notification.ts";
import { type FinalStatus, isDelivered, OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";
import { queueOrderWebhook } from "#app/orders/webhooks/queue-webhooks.server.ts";
import { type WakeEnv, wakeEndpoints } from "#app/orders/webhooks/wake-endpoints.server.ts";
import { type PushWakeEnv, queuePush, wakePushDispatcher } from "#app/push/queue-push.server.ts";
import { ownerOfAccount } from "#app/push/subscriptions.server.ts";

export type CloseEnv = WakeEnv & PushWakeEnv;
type OrderToClose = Pick<
  Order,
  | "id"
  | "serviceId"
  | "userId"
  | "charge"
  | "refunded"
  | "quantity"
  | "runs"
  | "resendUntil"
  | "createdAt"
  | "type"
  | "isTest"
  | "refillDays"
>;

type Ending = {
  status: FinalStatus;
  remains: number;
  startCount: number | null;
  fulfillment?: Exclude<FulfillmentState, "held">;
  /** The provider's final charge for it. Unchanged if absent; always nothing for a rejected order. */
  cost?: OrderCost;
  /** Changes nothing unless the order has this fulfillment state, and no call was cut off since it was read. */
  onlyWhile?: FulfillmentState;
  /** Changes nothing unless this holds for the order's row. */
  onlyIf?: SQL;
};

/**
 * Moves an open order to a final status and refunds the undelivered part in one batch, together with the statements in
 * `also`, then wakes the dispatchers of its webhooks and notifications. Returns false and changes nothing if the order was final already.
 */
export async function closeOrder(
  db: Db,
  env: CloseEnv,
  order: OrderToClose,
  to: Ending,
  also: BatchItem<"sqlite">[] = [],
): Promise<boolean> {
  const now = Date.now();
  const { id, userId } = order;
  const amount = refundFor({ ...order, remains: to.remains, total: order.quantity * order.runs });
  const webhook = queueOrderWebhook(db, { ...order, ...to, refunded: order.refunded + amount });
  const content = orderNotification({ id, status: to.status, refunded: amount });
  const push = queuePush(db, ownerOfAccount(userId), { event: `order:${id}`, kind: "order", content, now });
  let queued: { endpointId: string }[];
  let pushed: unknown[];
  try {
    const refund = amount === 0 ? [] : refundStatements(db, order, amount, now);
    const others = [...refund, ...countEnded(db, order, to.status, now), ...also];
    [, queued, pushed] = await db.batch([
      close(db, order, to, amount, now),
      webhook,
      push.queue,
      push.later,
      ...others,
    ]);
  } catch (error) {
    if (violates(error, "orders.status")) return false;
    throw error;
  }
  await wakeEndpoints(env, queued);
  if (pushed.length > 0) await wakePushDispatcher(env);
  return true;
}

/** Fails, and with it the batch, unless the order may be closed. */
function close(db: Db, order: OrderToClose, to: Ending, amount: number, now: number) {
  const isUnsentSince = sql`${orders.resendUntil} is ${order.resendUntil}`;
  const isInState = to.onlyWhile && and(eq(orders.fulfillment, to.onlyWhile), isUnsentSince);
  const mayClose = and(inArray(orders.status, OPEN_STATUSES), isInState, to.onlyIf);
  const cost = to.fulfillment === "rejected" ? NOTHING : to.cost;
  return db
    .update(orders)
    .set({
      // The column refuses NULL, which stops the whole batch. A WHERE would let the refund through.
      status: sql`iif(${mayClose}, ${to.status}, null)`,
      remains: to.remains,
      refunded: sql`${orders.refunded} + ${amount}`,
      ...cost,
      ...(to.fulfillment && { fulfillment: to.fulfillment, heldFor: null, leaseUntil: 0 }),
      history: historyAfter({ status: to.status, ...(to.fulfillment && { fulfillment: to.fulfillment }) }, now),
      startCount: sql`coalesce(${to.startCount}, ${orders.startCount})`,
      unreadableSince: 0,
      refillUntil: isDelivered(to.status) ? refillDeadline(order.refillDays, now) : null,
      updatedAt: now,
    })
    .where(eq(orders.id, order.id));
}

function refundStatements(db: Db, { id, userId }: OrderToClose, amount: number, createdAt: number) {
  const balanceAfter = balanceNow(userId);
  return [
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} + ${amount}` })
      .where(eq(wallets.userId, userId)),
    db.insert(ledger).values({ userId, orderId: id, kind: "refund", amount, balanceAfter, createdAt }),
  ];
}
