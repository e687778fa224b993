import { and, eq, sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset, within } from "#app/db/keyset.server.ts";
import { cancellations, orders, type RefillStatus, refills, services } from "#app/db/schema.server.ts";
import { readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CloseEnv, closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { FOR_STAFF_LIST, OPEN_CANCELLATION, OPEN_REFILL_LIST } from "#app/orders/rules/open-statuses.server.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";
import { findOrder, fulfillmentAfterStatus, type OrderActionResult } from "./order-admin.server.ts";

/** Refills and cancellations that wait for a person, because no provider decides them. */

const REFILL_WAITS = sql`${refills.status} in ${OPEN_REFILL_LIST} and ${refills.fulfillment} in ${FOR_STAFF_LIST}`;
const CANCELLATION_WAITS = sql`${cancellations.status} = ${OPEN_CANCELLATION} and ${cancellations.fulfillment} in ${FOR_STAFF_LIST}`;

type WaitingQuery = { between: TimeRange; sort: Sort<"order"> };

const SORTS = ["order"] as const;

/** Reads how the URL sorts one of the queues, and its days. `list` is the prefix of its parameters. */
export function readWaitingQuery(searchParams: URLSearchParams, list: string) {
  const { between, ...days } = readDayRange(searchParams);
  return { between, days, sort: readSort(searchParams, SORTS, "-order", list), sorts: SORTS };
}

/** Lists refills that wait, after the cursor. A cross join, because SQLite would go through all orders first. */
export async function listWaitingRefills(
  db: Db,
  { between, sort }: WaitingQuery,
  cursor: ListCursor | null,
  limit: number,
) {
  const { after, order } = keyset({ value: refills.id, id: refills.id, ...sort }, cursor);
  const rows = await db
    .select({
      id: refills.id,
      orderId: refills.orderId,
      status: refills.status,
      fulfillment: refills.fulfillment,
      createdAt: refills.createdAt,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      service: services.name,
    })
    .from(refills)
    .crossJoin(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .where(
      and(
        REFILL_WAITS,
        eq(orders.id, refills.orderId),
        eq(orders.isTest, false),
        within(refills.createdAt, between),
        after,
      ),
    )
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

/** Lists cancellations that wait, by their orders, after the cursor. */
export async function listWaitingCancellations(
  db: Db,
  { between, sort }: WaitingQuery,
  cursor: ListCursor | null,
  limit: number,
) {
  const { after, order } = keyset({ value: cancellations.orderId, id: cancellations.orderId, ...sort }, cursor);
  const rows = await db
    .select({
      orderId: cancellations.orderId,
      createdAt: cancellations.createdAt,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      remains: orders.remains,
      orderStatus: orders.status,
      service: services.name,
    })
    .from(cancellations)
    .crossJoin(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .where(
      and(
        CANCELLATION_WAITS,
        eq(orders.id, cancellations.orderId),
        eq(orders.isTest, false),
        within(cancellations.createdAt, between),
        after,
      ),
    )
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ orderId }) => ({ value: orderId, id: orderId }));
}

export type WaitingRefill = Awaited<ReturnType<typeof listWaitingRefills>>["rows"][number];
export type WaitingCancellation = Awaited<ReturnType<typeof listWaitingCancellations>>["rows"][number];

/**
 * Sets the status of a refill that waits for a person, if it is still the one that they saw. "In progress" means that staff
 * are delivering it.
 */
export async function decideRefill(
  db: Db,
  actor: Actor,
  refillId: number,
  to: { from: RefillStatus; status: Exclude<RefillStatus, "Pending">; reason: string },
): Promise<OrderActionResult> {
  const [refill] = await db
    .select({ orderId: refills.orderId })
    .from(refills)
    .innerJoin(orders, eq(orders.id, refills.orderId))
    .where(and(eq(refills.id, refillId), eq(orders.isTest, false)))
    .limit(1);
  if (!refill) return { ok: false, reason: "not_found" };
  const isAsSeen = sql`${REFILL_WAITS} and ${refills.status} = ${to.from}`;
  try {
    await db.batch([
      db
        .update(refills)
        .set({
          status: sql`iif(${isAsSeen}, ${to.status}, null)`,
          fulfillment: "manual",
          updatedAt: Date.now(),
        })
        .where(eq(refills.id, refillId)),
      audit(db, actor, {
        action: "order.refill",
        subject: "order",
        subjectId: refill.orderId,
        detail: { refill: refillId, status: [to.from, to.status], reason: to.reason },
      }),
    ]);
  } catch (error) {
    if (violates(error, "refills.status")) return { ok: false, reason: "changed" };
    throw error;
  }
  return { ok: true };
}

/**
 * Accepts a cancellation, which cancels the order and refunds the `remains` undelivered pieces, or rejects it. `seen`: what
 * remained as the person saw it.
 */
export async function decideCancellation(
  db: Db,
  env: CloseEnv,
  actor: Actor,
  orderId: number,
  decision: { kind: "accept"; remains: number; seen: number; reason: string } | { kind: "reject"; reason: string },
): Promise<OrderActionResult> {
  const order = await findOrder(db, orderId);
  if (!order) return { ok: false, reason: "not_found" };
  const status = decision.kind === "accept" ? "Accepted" : "Rejected";
  const resolve = db
    .update(cancellations)
    .set({ status: sql`iif(${cancellations.status} = 'Pending', ${status}, null)`, updatedAt: Date.now() })
    .where(eq(cancellations.orderId, orderId));
  const { reason } = decision;
  const entry = audit(db, actor, {
    action: `order.cancel_${decision.kind}`,
    subject: "order",
    subjectId: orderId,
    detail: { ...(decision.kind === "accept" && { remains: decision.remains }), reason },
  });
  try {
    if (decision.kind === "reject") {
      await db.batch([resolve, entry]);
      return { ok: true };
    }
    const { remains, seen } = decision;
    const total = order.quantity * order.runs;
    if (isFinal(order.status)) return { ok: false, reason: "final" };
    if (order.fulfillment === "submitting") return { ok: false, reason: "sending" };
    if (order.remains !== seen) return { ok: false, reason: "changed" };
    if (remains < 1 || remains > total) return { ok: false, reason: "bad_remains" };
    const finalStatus = remains === total ? "Canceled" : "Partial";
    const fulfillment = order.fulfillment === "queued" ? "rejected" : fulfillmentAfterStatus(order);
    const to = {
      status: finalStatus,
      remains,
      startCount: null,
      fulfillment,
      onlyWhile: order.fulfillment,
      onlyIf: eq(orders.remains, seen),
    } as const;
    return (await closeOrder(db, env, order, to, [resolve, entry])) ? { ok: true } : { ok: false, reason: "changed" };
  } catch (error) {
    if (violates(error, "cancellations.status")) return { ok: false, reason: "changed" };
    throw error;
  }
}
