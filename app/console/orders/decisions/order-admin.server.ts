import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { type FulfillmentState, ledger, type Order, type OrderStatus, orders, wallets } from "#app/db/schema.server.ts";
import { historyAfter } from "#app/db/steps/order-steps.server.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import { type CloseEnv, closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { providerRateOf } from "#app/orders/fulfillment/submission-claims.server.ts";
import { costByRate, type OrderCost, UNKNOWN } from "#app/orders/providers/order-cost.ts";
import { isFinal, isRefundable, leavesNothing, OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";

/** Actions of staff on orders. Each runs in one batch with its audit entry. None applies to test orders. */

export type OrderActionRefusal =
  | "not_found"
  /** The order changed meanwhile, or is in a final state. */
  | "changed"
  /** It has another status or other counts than the form showed. */
  | "stale"
  | "final"
  /** Its submission is running: within a minute it is accepted, rejected or held. */
  | "sending"
  | "held"
  | "not_held"
  | "bad_remains"
  | "provider_id_taken"
  | "no_provider"
  | "refund_given"
  | "bad_amount";
export type OrderActionResult = { ok: true } | { ok: false; reason: OrderActionRefusal };

type HeldDecision = { seenAt?: number; about?: Record<string, unknown>; isOneOfMany?: boolean };

const isOpen = inArray(orders.status, OPEN_STATUSES);

/**
 * Sets status and remains. A final status refunds the undelivered part; a queued order leaves the queue. `isSeen` tells
 * whether the person saw the order as it is.
 */
export async function setOrderStatus(
  db: Db,
  env: CloseEnv,
  actor: Actor,
  orderId: number,
  to: { status: OrderStatus; remains: number; startCount: number | null; reason: string },
  isSeen: (order: Order) => boolean = () => true,
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  const total = order.quantity * order.runs;
  const remains = leavesNothing(to.status) ? 0 : to.remains;
  if (isFinal(order.status)) return refuse("final");
  if (order.fulfillment === "submitting") return refuse("sending");
  if (!isSeen(order)) return refuse("stale");
  if (remains > total || (to.status === "Partial" && remains === 0)) return refuse("bad_remains");
  if (order.fulfillment === "held" && !isFinal(to.status)) return refuse("held");
  const fulfillment = fulfillmentAfterStatus(order);
  const entry = audit(db, actor, {
    action: "order.status",
    subject: "order",
    subjectId: orderId,
    detail: {
      status: [order.status, to.status],
      remains: [order.remains, remains],
      ...(to.startCount !== null && { startCount: [order.startCount, to.startCount] }),
      reason: to.reason,
    },
  });
  const { status } = to;
  if (isFinal(status)) {
    const { startCount } = to;
    return close(db, env, order, { status, remains, startCount, fulfillment, onlyWhile: order.fulfillment }, entry);
  }
  const isAsRead = and(
    eq(orders.status, order.status),
    eq(orders.remains, order.remains),
    sql`${orders.startCount} is ${order.startCount}`,
  );
  const mayChange = and(isOpen, eq(orders.fulfillment, order.fulfillment), isAsRead);
  const now = Date.now();
  const update = db
    .update(orders)
    .set({
      status: sql`iif(${mayChange}, ${status}, null)`,
      remains,
      startCount: sql`coalesce(${to.startCount}, ${orders.startCount})`,
      fulfillment,
      history: historyAfter({ status, fulfillment }, now),
      updatedAt: now,
    })
    .where(eq(orders.id, orderId));
  return unlessChanged(() => db.batch([update, entry]));
}

/** Refunds `amount` micro-units of an order that is final and was never refunded. */
export async function refundOrder(
  db: Db,
  actor: Actor,
  orderId: number,
  refund: { amount: number; reason: string },
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  if (!isRefundable(order.status)) return refuse("changed");
  // The ledger holds one refund per order. Anything beyond is a credit to the customer.
  if (order.refunded > 0) return refuse("refund_given");
  const { amount, reason } = refund;
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > order.charge) return refuse("bad_amount");
  const { userId } = order;
  const now = Date.now();
  const isUnrefunded = and(eq(orders.refunded, 0), eq(orders.status, order.status));
  return unlessChanged(() =>
    db.batch([
      db
        .update(orders)
        .set({ refunded: sql`iif(${isUnrefunded}, ${amount}, null)`, updatedAt: now })
        .where(eq(orders.id, orderId)),
      db
        .update(wallets)
        .set({ balance: sql`${wallets.balance} + ${amount}` })
        .where(eq(wallets.userId, userId)),
      db.insert(ledger).values({
        userId,
        orderId,
        kind: "refund",
        amount,
        balanceAfter: balanceNow(userId),
        note: reason,
        createdAt: now,
      }),
      audit(db, actor, { action: "order.refund", subject: "order", subjectId: orderId, detail: { amount, reason } }),
    ]),
  );
}

/**
 * Resolves a held order. `accepted`: its status is synced under the provider's id. `refused`: it is canceled and fully
 * refunded. `again`: it returns to the queue. An order may be held twice, so the decision is about the hold that was seen:
 * `seenAt` is when the order had been changed last. `about` is added to the audit entry. `isOneOfMany`: the caller resolves
 * cancellations, once for all.
 */
export async function resolveHeld(
  db: Db,
  env: CloseEnv,
  actor: Actor,
  orderId: number,
  outcome: { kind: "accepted"; providerOrderId: string } | { kind: "refused" } | { kind: "again" },
  reason: string,
  { seenAt, about = {}, isOneOfMany = false }: HeldDecision = {},
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  if (order.fulfillment !== "held" || isFinal(order.status)) return refuse("not_held");
  if (seenAt !== undefined && order.updatedAt !== seenAt) return refuse("changed");
  const isAsRead = eq(orders.updatedAt, order.updatedAt);
  const entry = audit(db, actor, {
    action: `order.held_${outcome.kind}`,
    subject: "order",
    subjectId: orderId,
    detail: { ...("providerOrderId" in outcome && { providerOrderId: outcome.providerOrderId }), ...about, reason },
  });
  if (outcome.kind === "refused") {
    const remains = order.quantity * order.runs;
    const to = {
      status: "Canceled",
      remains,
      startCount: null,
      fulfillment: "rejected",
      onlyWhile: "held",
      onlyIf: isAsRead,
    } as const;
    return close(db, env, order, to, entry, isOneOfMany);
  }
  if (order.providerId === null) return refuse("no_provider");
  const providerOrderId = outcome.kind === "accepted" ? outcome.providerOrderId : null;
  // Two orders with one provider id would both complete when it does.
  if (providerOrderId !== null && (await isTaken(db, order, providerOrderId))) return refuse("provider_id_taken");
  const now = Date.now();
  const next = outcome.kind === "accepted" ? "accepted" : "queued";
  const stillHeld = and(isOpen, eq(orders.fulfillment, "held"), isAsRead);
  const cost = outcome.kind === "accepted" ? await costNow(db, order) : UNKNOWN;
  const update = db
    .update(orders)
    .set({
      fulfillment: sql`iif(${stillHeld}, ${next}, null)`,
      heldFor: null,
      history: historyAfter({ fulfillment: next }, now),
      providerOrderId,
      ...cost,
      leaseUntil: 0,
      // What refused it before counts no more.
      deferredFor: null,
      deferrals: 0,
      deferredSince: 0,
      unreadableSince: 0,
      // Staff saw at the provider whether it has the order.
      resendUntil: null,
      updatedAt: now,
    })
    .where(eq(orders.id, orderId));
  return unlessChanged(() => db.batch([update, entry]));
}

/** Returns what the provider charges for an order that it has: the known cost, or else the cost by its current rate. */
async function costNow(db: Db, order: Order): Promise<OrderCost> {
  if (order.cost !== null) return { cost: order.cost, costIsReported: order.costIsReported };
  const [row] = await db.select({ rate: providerRateOf }).from(orders).where(eq(orders.id, order.id));
  return costByRate(order, row?.rate ?? null);
}

async function close(
  db: Db,
  env: CloseEnv,
  order: Order,
  to: Parameters<typeof closeOrder>[3],
  entry: ReturnType<typeof audit>,
  isOneOfMany = false,
): Promise<OrderActionResult> {
  if (!(await closeOrder(db, env, order, to, [entry]))) return refuse("changed");
  if (!isOneOfMany) await resolveCancellations(db);
  return { ok: true };
}

export async function findOrder(db: Db, orderId: number): Promise<Order | undefined> {
  const [order] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.id, orderId), eq(orders.isTest, false)))
    .limit(1);
  return order;
}

async function isTaken(db: Db, order: Order, providerOrderId: string): Promise<boolean> {
  const [other] = await db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.providerOrderId, providerOrderId),
        eq(orders.providerId, order.providerId ?? 0),
        ne(orders.id, order.id),
      ),
    )
    .limit(1);
  return other !== undefined;
}

/** Returns who delivers an order after staff set its status: staff, if the provider does not have it. It is held no more. */
export function fulfillmentAfterStatus(order: Order): Exclude<FulfillmentState, "held"> {
  if (order.fulfillment === "held") return order.providerOrderId === null ? "manual" : "accepted";
  return order.fulfillment === "queued" ? "manual" : order.fulfillment;
}

/** Runs a batch that writes NULL into a column that refuses it if the order changed since it was read. */
async function unlessChanged(run: () => Promise<unknown>): Promise<OrderActionResult> {
  try {
    await run();
  } catch (error) {
    // Another order got this id since it was checked.
    if (violates(error, "orders.provider_order_id")) return refuse("provider_id_taken");
    const isOutdated = ["status", "fulfillment", "refunded"].some((column) => violates(error, `orders.${column}`));
    if (isOutdated || isRepeat(error)) return refuse("changed");
    throw error;
  }
  return { ok: true };
}

function refuse(reason: OrderActionRefusal): OrderActionResult {
  return { ok: false, reason };
}
