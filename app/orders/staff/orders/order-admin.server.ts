import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { type FulfillmentState, ledger, type Order, type OrderStatus, orders, wallets } from "#app/db/schema.server.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { isFinal, OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { balanceNow } from "#app/orders/wallet/ledger.server.ts";

/** What staff does to an order. Each act and its audit entry are one batch. Test orders cannot be touched. */

export type OrderActionRefusal =
  | "not_found"
  /** Somebody, or the provider, was faster; or the order is in a final state. */
  | "changed"
  | "final"
  /** Its submission is under way: in a minute it is accepted, refused or held. */
  | "sending"
  | "held"
  | "not_held"
  | "bad_remains"
  | "provider_id_taken"
  | "no_provider"
  | "refund_given"
  | "bad_amount";
export type OrderActionResult = { ok: true } | { ok: false; reason: OrderActionRefusal };

const isOpen = inArray(orders.status, OPEN_STATUSES);

/** Sets status and remains by hand. A final status gives back what was not delivered. An order in the queue leaves it. */
export async function setOrderStatus(
  db: Db,
  actor: Actor,
  orderId: number,
  to: { status: OrderStatus; remains: number; startCount: number | null; reason: string },
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  const total = order.quantity * order.runs;
  const remains = to.status === "Completed" ? 0 : to.remains;
  if (isFinal(order.status)) return refuse("final");
  if (order.fulfillment === "submitting") return refuse("sending");
  if (remains > total || (to.status === "Partial" && remains === 0)) return refuse("bad_remains");
  if (order.fulfillment === "held" && !isFinal(to.status)) return refuse("held");
  const fulfillment = byHand(order);
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
    return close(db, order, { status, remains, startCount, fulfillment, onlyWhile: order.fulfillment }, entry);
  }
  const mayChange = and(isOpen, eq(orders.fulfillment, order.fulfillment));
  const update = db
    .update(orders)
    .set({
      status: sql`iif(${mayChange}, ${status}, null)`,
      remains,
      startCount: sql`coalesce(${to.startCount}, ${orders.startCount})`,
      fulfillment,
      updatedAt: Date.now(),
    })
    .where(eq(orders.id, orderId));
  return unlessChanged(() => db.batch([update, entry]));
}

/** Gives money back for an order that is final and of which nothing went back before. `amount` in micro-units. */
export async function refundOrder(
  db: Db,
  actor: Actor,
  orderId: number,
  refund: { amount: number; reason: string },
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  if (!isFinal(order.status)) return refuse("changed");
  // The ledger has one refund for an order; more than that is a credit to the customer.
  if (order.refunded > 0) return refuse("refund_given");
  const { amount, reason } = refund;
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > order.charge) return refuse("bad_amount");
  const { userId } = order;
  const now = Date.now();
  const stillNone = and(eq(orders.refunded, 0), eq(orders.status, order.status));
  return unlessChanged(() =>
    db.batch([
      db
        .update(orders)
        .set({ refunded: sql`iif(${stillNone}, ${amount}, null)`, updatedAt: now })
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
 * Decides what nobody could know: whether the provider took a held order. `accepted` with the provider's id: it is
 * followed from now on. `refused`: canceled, and the whole charge goes back. `again`: it goes back to the queue.
 */
export async function resolveHeld(
  db: Db,
  actor: Actor,
  orderId: number,
  outcome: { kind: "accepted"; providerOrderId: string } | { kind: "refused" } | { kind: "again" },
  reason: string,
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return refuse("not_found");
  if (order.fulfillment !== "held" || isFinal(order.status)) return refuse("not_held");
  const entry = audit(db, actor, {
    action: `order.held_${outcome.kind}`,
    subject: "order",
    subjectId: orderId,
    detail: { ...("providerOrderId" in outcome && { providerOrderId: outcome.providerOrderId }), reason },
  });
  if (outcome.kind === "refused") {
    const remains = order.quantity * order.runs;
    const to = {
      status: "Canceled",
      remains,
      startCount: null,
      fulfillment: "rejected",
      onlyWhile: "held",
    } as const;
    return close(db, order, to, entry);
  }
  if (order.providerId === null) return refuse("no_provider");
  const providerOrderId = outcome.kind === "accepted" ? outcome.providerOrderId : null;
  // Two orders that follow one id would both complete by it.
  if (providerOrderId !== null && (await isTaken(db, order, providerOrderId))) return refuse("provider_id_taken");
  const next: FulfillmentState = outcome.kind === "accepted" ? "accepted" : "queued";
  const stillHeld = and(isOpen, eq(orders.fulfillment, "held"));
  const update = db
    .update(orders)
    .set({
      fulfillment: sql`iif(${stillHeld}, ${next}, null)`,
      providerOrderId,
      leaseUntil: 0,
      checkedAt: 0,
      updatedAt: Date.now(),
    })
    .where(eq(orders.id, orderId));
  return unlessChanged(() => db.batch([update, entry]));
}

async function close(
  db: Db,
  order: Order,
  to: Parameters<typeof closeOrder>[2],
  entry: ReturnType<typeof audit>,
): Promise<OrderActionResult> {
  if (!(await closeOrder(db, order, to, [entry]))) return refuse("changed");
  await resolveCancellations(db);
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

/** An order that its provider does not have is worked by hand from now on; one that it has stays with it. */
function byHand(order: Order): FulfillmentState {
  if (order.fulfillment === "held") return order.providerOrderId === null ? "manual" : "accepted";
  return order.fulfillment === "queued" ? "manual" : order.fulfillment;
}

/** The batches write NULL into a column that refuses it when the order is no longer as it was read. */
async function unlessChanged(act: () => Promise<unknown>): Promise<OrderActionResult> {
  try {
    await act();
  } catch (error) {
    const overtaken = ["status", "fulfillment", "refunded"].some((column) => violates(error, `orders.${column}`));
    if (overtaken || isRepeat(error)) return refuse("changed");
    throw error;
  }
  return { ok: true };
}

function refuse(reason: OrderActionRefusal): OrderActionResult {
  return { ok: false, reason };
}
