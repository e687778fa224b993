import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import { hasPassed } from "#app/components/formats/has-passed.ts";
import type { Db } from "#app/db/db.server.ts";
import { cancellations, type OrderStatus, orders, refills, services, wallets } from "#app/db/schema.server.ts";
import { type RefillTerms, refillState } from "#app/orders/delivery/refill-terms.ts";
import { IS_INDEXED } from "#app/orders/rules/open-statuses.server.ts";
import { fieldsOfOrder } from "#app/orders/rules/order-input.ts";
import { isIndexed } from "#app/orders/rules/order-status.ts";

export type OrderRow = Awaited<ReturnType<typeof readOrderRows>>[number];

/** Maximum number of orders read at once by id. */
export const MAX_ORDER_IDS = 100;
const MAX_REFILLS = 20;

/** Returns the requested orders that belong to the user, newest first, as the order list shows them. */
export async function readOrderRows(db: Db, userId: string, orderIds: number[]) {
  if (orderIds.length === 0) return [];
  const rows = await selectOrderRows(db)
    .where(and(ownOrders(userId), inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds)}))`)))
    .orderBy(desc(orders.id));
  return orderRowsOf(rows);
}

export function selectNewestOrders(db: Db, userId: string, limit: number) {
  const newest = db.select({ id: orders.id }).from(orders).where(ownOrders(userId)).orderBy(desc(orders.id));
  return selectOrderRows(db)
    .where(inArray(orders.id, newest.limit(limit)))
    .orderBy(desc(orders.id));
}

export function orderRowsOf(selected: Awaited<ReturnType<typeof selectOrderRows>>) {
  const now = Date.now();
  return selected.map((row) => withTerms(row, now));
}

/** Returns one of the user's orders with its fields and last refills, or null. */
export async function readOrderDetail(db: Db, userId: string, orderId: number) {
  const own = and(ownOrders(userId), eq(orders.id, orderId));
  const [[row], [order], refillsOfOrder] = await db.batch([
    selectOrderRows(db).where(own).limit(1),
    db.select().from(orders).where(own).limit(1),
    db
      .select({ id: refills.id, status: refills.status, createdAt: refills.createdAt, updatedAt: refills.updatedAt })
      .from(refills)
      .where(and(eq(refills.orderId, orderId), eq(refills.userId, userId)))
      .orderBy(desc(refills.id))
      .limit(MAX_REFILLS),
  ]);
  if (!row || !order) return null;
  const { intervalMinutes, source, reference, priceRule, discount } = order;
  const shown = withTerms(row, Date.now());
  const price = { priceRule, discount };
  return {
    ...shown,
    ...price,
    intervalMinutes,
    source,
    reference,
    fields: fieldsOfOrder(order),
    refills: refillsOfOrder,
  };
}

export type OrderDetail = NonNullable<Awaited<ReturnType<typeof readOrderDetail>>>;

/**
 * Selects the current status of orders that a page shows, and the balance, for a batch. Reads one row per order. `userId` may
 * be SQL that selects it.
 */
export function selectLiveOrders(db: Db, userId: string | SQL<string>, orderIds: number[]) {
  return [
    db
      .select({
        id: orders.id,
        status: orders.status,
        remains: orders.remains,
        startCount: orders.startCount,
        refunded: orders.refunded,
        refillUntil: orders.refillUntil,
        refill: refillStatus(),
        cancellation: cancellationStatus(),
      })
      .from(orders)
      // The join makes drizzle qualify column names. Without it, "id" would mean the subquery's own column.
      .leftJoin(cancellations, eq(cancellations.orderId, orders.id))
      .where(
        and(
          ownOrders(userId),
          inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds.slice(0, MAX_ORDER_IDS))}))`),
        ),
      )
      .orderBy(desc(orders.id)),
    db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, userId)),
  ] as const;
}

export function liveOrdersOf([orders, [wallet]]: BatchResponse<ReturnType<typeof selectLiveOrders>>) {
  return { orders, balance: wallet?.balance ?? 0 };
}

/** Selects orders as lists show them, for a batch; `orderRowsOf` makes rows of them. */
export function selectOrderRows(db: Db) {
  return db
    .select({
      id: orders.id,
      serviceId: orders.serviceId,
      service: services.name,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      charge: orders.charge,
      refunded: orders.refunded,
      status: orders.status,
      startCount: orders.startCount,
      remains: orders.remains,
      createdAt: orders.createdAt,
      expectedBy: orders.expectedBy,
      refillDays: orders.refillDays,
      refillUntil: orders.refillUntil,
      offersRefill: services.refill,
      canCancel: services.cancel,
      offered: services.enabled,
      refill: refillStatus(),
      cancellation: cancellationStatus(),
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(cancellations, eq(cancellations.orderId, orders.id))
    .$dynamic();
}

/** Adds what the order's terms mean `now`, by the server's clock. */
function withTerms<Row extends { offersRefill: boolean; expectedBy: number | null } & Omit<RefillTerms, "refill">>(
  { offersRefill, ...row }: Row,
  now: number,
) {
  const canRefill = refillState({ ...row, refill: offersRefill }, now) === "offered";
  return { ...row, canRefill, isPastExpected: hasPassed(row.expectedBy, now) };
}

/**
 * Selects the status of the order's cancellation, null without one. It needs its own column name: in a batch, D1 returns
 * rows by column name, and a second "status" would replace the order's.
 */
function cancellationStatus() {
  return sql<(typeof cancellations.$inferSelect)["status"] | null>`${cancellations.status}`.as("cancellation");
}

/** Selects the status of the order's last refill, null without one. */
function refillStatus() {
  return sql<
    (typeof refills.$inferSelect)["status"] | null
  >`(select ${refills.status} from ${refills} where ${refills.orderId} = ${orders.id} order by ${refills.id} desc limit 1)`;
}

/** Matches the user's live orders, or those placed with test keys. Repeats the condition of their indexes literally. */
export function ownOrders(userId: string | SQL<string>, { isTest } = { isTest: false }) {
  return and(eq(orders.userId, userId), isTest ? sql`${orders.isTest} = 1` : sql`${orders.isTest} = 0`);
}

/**
 * Matches one status, or any for null. With `ownOrders`, repeats the condition of the index orders_by_user_and_status
 * literally, if it holds that status.
 */
export function withStatus(status: OrderStatus | null) {
  if (status === null) return undefined;
  const isStatus = eq(orders.status, status);
  return isIndexed(status) ? and(isStatus, IS_INDEXED) : isStatus;
}
