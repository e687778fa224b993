import { and, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { type Order, orders, rollups, serviceDays, serviceTimes } from "#app/db/schema.server.ts";
import { OPEN_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import {
  BUCKETS_PER_DOUBLING,
  countName,
  DAY_MS,
  type DeliveryCounts,
  type DeliveryTimes,
  dayOf,
  estimateDelivery,
  isMeasured,
  WINDOW_DAYS,
} from "./delivery-estimate.ts";

/** Its row in `rollups` says when the times were refreshed. */
export const SERVICE_TIMES_ROLLUP = "service times";
const REFRESHED_AFTER_MS = 10 * 60_000;
const ROWS_PER_STATEMENT = 500;

/** Returns the times of the services, or of all of them, by service. A service with too few orders has none. */
export async function readServiceTimes(db: Db, serviceIds?: number[]): Promise<Map<number, DeliveryTimes>> {
  const ids = serviceIds && sql`(select value from json_each(${JSON.stringify(serviceIds)}))`;
  const rows = await db
    .select()
    .from(serviceTimes)
    .where(ids && inArray(serviceTimes.serviceId, ids));
  return new Map(rows.map(({ serviceId, ...times }) => [serviceId, times]));
}

/**
 * Returns the statements that count an order that ends now, for the batch that ends it. None for an order that says
 * nothing about its service's times, or no longer.
 */
export function countEnded(
  db: Db,
  order: Pick<Order, "serviceId" | "createdAt" | "runs" | "type" | "isTest">,
  status: FinalStatus,
  now: number,
) {
  const day = dayOf(order.createdAt);
  if (!isMeasured(order) || day < firstDay(now)) return [];
  const name = countName(status, now - order.createdAt);
  const path = `$.${name}`;
  return [
    db
      .insert(serviceDays)
      .values({ day, serviceId: order.serviceId, ended: { [name]: 1 } })
      .onConflictDoUpdate({
        target: [serviceDays.day, serviceDays.serviceId],
        set: { ended: sql`json_set(${serviceDays.ended}, ${path}, coalesce(${serviceDays.ended} ->> ${path}, 0) + 1)` },
      }),
  ];
}

/** Selects when nine of ten orders of the service, placed `now`, would be done. Null if that is not known. */
export function expectedBySql(serviceId: SQL | number, now: number): SQL<number | null> {
  return sql`(select cast(${now} as integer) + ${serviceTimes.p90Ms} from ${serviceTimes} where ${serviceTimes.serviceId} = ${serviceId})`;
}

/**
 * Computes the delivery times of all services anew, if that is ten minutes ago. Reads a row per service and day of the
 * window and the open orders, and writes what changed, so that neither orders nor lists pay for it.
 */
export async function refreshServiceTimes(db: Db, now: number): Promise<void> {
  const [last] = await db.select().from(rollups).where(eq(rollups.name, SERVICE_TIMES_ROLLUP));
  if (last && now - last.upToId < REFRESHED_AFTER_MS) return;
  const counts = await readCounts(db, now);
  const rows: (DeliveryTimes & { serviceId: number })[] = [];
  for (const [serviceId, counted] of counts) {
    const times = estimateDelivery(counted);
    if (times) rows.push({ serviceId, ...times });
  }
  const ids = JSON.stringify(rows.map(({ serviceId }) => serviceId));
  const parts = Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, n) =>
    rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT),
  );
  await db.batch([
    db
      .insert(rollups)
      .values({ name: SERVICE_TIMES_ROLLUP, upToId: now })
      .onConflictDoUpdate({ target: rollups.name, set: { upToId: now } }),
    db.delete(serviceTimes).where(sql`${serviceTimes.serviceId} not in (select value from json_each(${ids}))`),
    ...parts.map((part) => storeTimes(db, part)),
  ]);
}

/** Deletes the counts of days that no window covers any more. */
export async function deleteOldServiceDays(db: Db): Promise<void> {
  await deleteInChunks(db, serviceDays, lt(serviceDays.day, firstDay(Date.now())));
}

function firstDay(now: number): number {
  return dayOf(now) - WINDOW_DAYS + 1;
}

/** Reads day by day, so that no response holds more than a row per service. */
async function readCounts(db: Db, now: number): Promise<Map<number, DeliveryCounts>> {
  const counts = new Map<number, DeliveryCounts>();
  const of = (serviceId: number) => {
    const known = counts.get(serviceId) ?? { ended: {}, open: {} };
    counts.set(serviceId, known);
    return known;
  };
  for (let day = firstDay(now); day <= dayOf(now); day++) {
    for (const row of await db.select().from(serviceDays).where(eq(serviceDays.day, day))) {
      const { ended } = of(row.serviceId);
      for (const [name, count] of Object.entries(row.ended)) ended[name] = (ended[name] ?? 0) + count;
    }
  }
  for (const { serviceId, bucket, count } of await readOpen(db, now)) of(serviceId).open[bucket] = count;
  return counts;
}

/** Counts the open orders of the window by service and the bucket of their age: `bucketOf` and `isMeasured` in SQL. */
function readOpen(db: Db, now: number) {
  const age = sql`(cast(${now} as integer) - ${orders.createdAt})`;
  const perDoubling = sql.raw(String(BUCKETS_PER_DOUBLING));
  const bucket = sql<number>`iif(${age} < 1000, 0, cast(floor(${perDoubling} * log2(max(1000, ${age}) / 1000.0)) as integer) + 1)`;
  return db
    .select({ serviceId: orders.serviceId, bucket: bucket.as("bucket"), count: sql<number>`count(*)` })
    .from(orders)
    .where(
      and(
        // The condition of the index orders_by_status, literally.
        sql`${orders.isTest} = 0 and ${orders.status} <> 'Completed' and ${orders.status} in ${OPEN_ORDER_LIST}`,
        sql`${orders.runs} = 1 and ${orders.type} <> 'Subscriptions'`,
        sql`${orders.createdAt} >= ${firstDay(now) * DAY_MS}`,
      ),
    )
    .groupBy(orders.serviceId, sql`bucket`);
}

function storeTimes(db: Db, rows: (DeliveryTimes & { serviceId: number })[]) {
  // In the order of the table's columns.
  const values = sql`
    select value ->> 'serviceId', value ->> 'p50Ms', value ->> 'p90Ms', value ->> 'completed', value ->> 'partial',
      value ->> 'canceled', value ->> 'open'
    from json_each(${JSON.stringify(rows)}) where true`;
  return db
    .insert(serviceTimes)
    .select(values)
    .onConflictDoUpdate({
      target: serviceTimes.serviceId,
      set: {
        p50Ms: sql`excluded.p50_ms`,
        p90Ms: sql`excluded.p90_ms`,
        completed: sql`excluded.completed`,
        partial: sql`excluded.partial`,
        canceled: sql`excluded.canceled`,
        open: sql`excluded.open`,
      },
      setWhere: sql`(${serviceTimes.p50Ms}, ${serviceTimes.p90Ms}, ${serviceTimes.completed}, ${serviceTimes.partial}, ${serviceTimes.canceled}, ${serviceTimes.open})
        is not (excluded.p50_ms, excluded.p90_ms, excluded.completed, excluded.partial, excluded.canceled, excluded.open)`,
    });
}
