import { desc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { openOrders, orders, services, serviceTimes } from "#app/db/schema.server.ts";
import { IS_INDEXED, OPEN_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";
import { isPastExpected, isStill } from "./late-orders.server.ts";

/**
 * A few orders are always late. From three on, and if they are over a tenth of the open ones, their service is. Repeats the
 * condition of the index service_times_late literally.
 */
const IS_LATE = sql`${serviceTimes.late} >= 3 and ${serviceTimes.open} < ${serviceTimes.late} * 10`;
const LATE_SERVICES_SHOWN = 20;

/** An open live order. Repeats the condition of the index orders_by_status literally. */
export const IS_OPEN = sql`${orders.isTest} = 0 and ${IS_INDEXED} and ${orders.status} in ${OPEN_ORDER_LIST}`;

/** Selects how many of a group of orders are past their own `expected_by`. */
export function sumOfLate(now: number) {
  return sql<number>`coalesce(sum(${isPastExpected(now)}), 0)`;
}

type OpenCount = typeof openOrders.$inferSelect;

/** Returns the statement that counts the open orders by status and fulfillment. It reads all of them: for jobs alone. */
export function selectOpenCounts(db: Db, now: number) {
  return db
    .select({
      status: orders.status,
      fulfillment: orders.fulfillment,
      orders: sql<number>`count(*)`.as("orders"),
      late: sumOfLate(now).as("late"),
      still: sql<number>`sum(${isStill(now)})`.as("still"),
      oldestAt: sql<number>`min(${orders.createdAt})`.as("oldest_at"),
    })
    .from(orders)
    .where(IS_OPEN)
    .groupBy(orders.status, orders.fulfillment);
}

/** Returns the statements that store the counts. They write what changed. */
export function storeOpenCounts(db: Db, counts: OpenCount[]) {
  const given = JSON.stringify(counts);
  // In the order of the table's columns.
  const values = sql`
    select value ->> 'status', value ->> 'fulfillment', value ->> 'orders', value ->> 'late', value ->> 'still', value ->> 'oldestAt'
    from json_each(${given}) where true`;
  const { status, fulfillment, late, still, oldestAt } = openOrders;
  return [
    db
      .delete(openOrders)
      .where(
        sql`(${status}, ${fulfillment}) not in (select value ->> 'status', value ->> 'fulfillment' from json_each(${given}))`,
      ),
    db
      .insert(openOrders)
      .select(values)
      .onConflictDoUpdate({
        target: [status, fulfillment],
        set: {
          orders: sql`excluded.orders`,
          late: sql`excluded.late`,
          still: sql`excluded.still`,
          oldestAt: sql`excluded.oldest_at`,
        },
        setWhere: sql`(${openOrders.orders}, ${late}, ${still}, ${oldestAt})
          is not (excluded.orders, excluded.late, excluded.still, excluded.oldest_at)`,
      }),
  ] as const;
}

/** Returns the statement that reads the counts of open orders: at most a row for each status and fulfillment. */
export function selectOpenOrders(db: Db) {
  return db.select().from(openOrders);
}

/**
 * Returns the statement that lists the services whose open orders take longer than nine of ten did when they were placed,
 * those with the most late orders first. Reads only what it returns.
 */
export function selectLateServices(db: Db) {
  const { serviceId, late, open, p50Ms, p90Ms } = serviceTimes;
  return db
    .select({
      serviceId: sql<number>`${serviceId}`.as("late_service_id"),
      name: services.name,
      network: services.network,
      late,
      open,
      p50Ms,
      p90Ms,
    })
    .from(serviceTimes)
    .innerJoin(services, eq(services.id, serviceId))
    .where(IS_LATE)
    .orderBy(desc(late), desc(serviceId))
    .limit(LATE_SERVICES_SHOWN);
}
