import { and, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { type Order, orders, rollups, serviceDays, serviceTimes } from "#app/db/schema.server.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { ownValue } from "#app/own-value.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { countForCustomers, type ServiceDay, withNewlyEnded } from "./customer-endings.server.ts";
import {
  BUCKETS_PER_DOUBLING,
  countNameOf,
  type DeliveryCounts,
  type DeliveryTimes,
  dayOf,
  estimateDelivery,
  UNMEASURED,
  WINDOW_DAYS,
} from "./delivery-estimate.ts";
import { IS_OPEN, selectOpenCounts, storeOpenCounts, sumOfLate } from "./open-orders.server.ts";

/** Its row in `rollups` says when the times were refreshed. */
export const SERVICE_TIMES_ROLLUP = "service times";
const REFRESHED_AFTER_MS = 10 * MINUTE_MS;
const ROWS_PER_STATEMENT = 500;

/** In place of a bucket: an order from before the window. */
const OLDER = -1;

type Counts = DeliveryCounts & { unmeasured: number; late: number };
type TimesRow = DeliveryTimes & { serviceId: number; orders: number; late: number };
const NO_TIMES: DeliveryTimes = { p50Ms: null, p90Ms: null, completed: 0, partial: 0, canceled: 0, open: 0 };

/** Is true for services with enough completed orders. The others' rows hold no delivery times. */
export const HAS_TIMES = gt(serviceTimes.completed, 0);

/**
 * The columns of the delivery times. How many live orders a service has is for staff alone. The first column is never
 * null: in a left join, Drizzle takes a row for missing if that one is.
 */
export const TIMES_COLUMNS = {
  completed: serviceTimes.completed,
  partial: serviceTimes.partial,
  canceled: serviceTimes.canceled,
  open: serviceTimes.open,
  p50Ms: serviceTimes.p50Ms,
  p90Ms: serviceTimes.p90Ms,
};

/** Returns the times of the services, or of all of them, by service. A service with too few orders has none. */
export async function readServiceTimes(db: Db, serviceIds?: number[]): Promise<Map<number, DeliveryTimes>> {
  const ids = serviceIds && sql`(select value from json_each(${JSON.stringify(serviceIds)}))`;
  const rows = await db
    .select({ serviceId: serviceTimes.serviceId, ...TIMES_COLUMNS })
    .from(serviceTimes)
    .where(and(HAS_TIMES, ids && inArray(serviceTimes.serviceId, ids)));
  return new Map(rows.map(({ serviceId, ...times }) => [serviceId, times]));
}

/** Returns the statements that count an order that ends now, for the batch that ends it. None for a test or an old order. */
export function countEnded(
  db: Db,
  order: Pick<Order, "id" | "serviceId" | "createdAt" | "runs" | "type" | "isTest">,
  status: FinalStatus,
  now: number,
) {
  const day = dayOf(order.createdAt);
  if (order.isTest || day < firstDay(now)) return [];
  const name = countNameOf(order, status, now);
  const path = `$.${name}`;
  return [
    db
      .insert(serviceDays)
      .values({ day, serviceId: order.serviceId, ended: { [name]: 1 }, newlyEnded: { [order.id]: name } })
      .onConflictDoUpdate({
        target: [serviceDays.day, serviceDays.serviceId],
        set: {
          ended: sql`json_set(${serviceDays.ended}, ${path}, coalesce(${serviceDays.ended} ->> ${path}, 0) + 1)`,
          newlyEnded: withNewlyEnded(order.id, name),
        },
      }),
  ];
}

/** Selects when nine of ten orders of the service, placed `now`, would be done. Null if that is not known. */
export function expectedBySql(serviceId: SQL | number, now: number): SQL<number | null> {
  return sql`(select cast(${now} as integer) + ${serviceTimes.p90Ms} from ${serviceTimes} where ${serviceTimes.serviceId} = ${serviceId})`;
}

/**
 * Computes the delivery times of all services and the counts of open orders anew, if that is ten minutes ago. Reads a row
 * per service and day of the window and the open orders, and writes what changed, so that neither orders nor lists pay
 * for it.
 */
export async function refreshServiceTimes(db: Db, now: number): Promise<void> {
  const [last] = await db.select().from(rollups).where(eq(rollups.name, SERVICE_TIMES_ROLLUP));
  if (last && now - last.upToId < REFRESHED_AFTER_MS) return;
  const [open, openCounts] = await db.batch([selectOpen(db, now), selectOpenCounts(db, now)]);
  const { counts, changed } = await readCounts(db, open, now);
  const rows: TimesRow[] = [];
  for (const [serviceId, { unmeasured, late, ...counted }] of counts) {
    const orders = total(counted) + unmeasured;
    if (orders + late > 0) rows.push({ serviceId, ...(estimateDelivery(counted) ?? NO_TIMES), orders, late });
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
    ...storeOpenCounts(db, openCounts),
    ...countForCustomers(db, changed),
  ]);
}

/** Days that the counts are kept, for reports. Estimates rest on those of the window. */
export const SERVICE_DAYS_KEPT = 92;

/** Deletes the counts of days that no report covers any more. */
export async function deleteOldServiceDays(db: Db): Promise<void> {
  await deleteInChunks(db, serviceDays, lt(serviceDays.day, dayOf(Date.now()) - SERVICE_DAYS_KEPT + 1));
}

function firstDay(now: number): number {
  return dayOf(now) - WINDOW_DAYS + 1;
}

/**
 * Reads what ended day by day, so that no response holds more than a row per service. `changed` are the rows with orders that
 * are not counted for their customers.
 */
async function readCounts(
  db: Db,
  open: Awaited<ReturnType<typeof selectOpen>>,
  now: number,
): Promise<{ counts: Map<number, Counts>; changed: ServiceDay[] }> {
  const counts = new Map<number, Counts>();
  const of = (serviceId: number) => {
    const known = counts.get(serviceId) ?? { ended: {}, open: {}, unmeasured: 0, late: 0 };
    counts.set(serviceId, known);
    return known;
  };
  const changed: ServiceDay[] = [];
  // From a day before the window, whose last orders may have ended when it was in it.
  for (let day = firstDay(now) - 1; day <= dayOf(now); day++) {
    for (const row of await db.select().from(serviceDays).where(eq(serviceDays.day, day))) {
      if (Object.keys(row.newlyEnded).length > 0) changed.push([row.day, row.serviceId]);
      if (day < firstDay(now)) continue;
      const counted = of(row.serviceId);
      for (const [name, count] of Object.entries(row.ended)) {
        if (name === UNMEASURED) counted.unmeasured += count;
        else counted.ended[name] = (ownValue(counted.ended, name) ?? 0) + count;
      }
    }
  }
  for (const { serviceId, bucket, count, late } of open) {
    const counted = of(serviceId);
    counted.late += late;
    if (bucket === null) counted.unmeasured += count;
    else if (bucket !== OLDER) counted.open[bucket] = count;
  }
  return { counts, changed };
}

/**
 * Selects the number of open orders, and of the late ones among them, by service and the bucket of their age: `bucketOf`
 * and `isMeasured` in SQL. The bucket of those that are not measured is null.
 */
function selectOpen(db: Db, now: number) {
  const age = sql`(cast(${now} as integer) - ${orders.createdAt})`;
  const perDoubling = sql.raw(String(BUCKETS_PER_DOUBLING));
  const bucket = sql<
    number | null
  >`case when ${orders.createdAt} < ${sql.raw(String(firstDay(now) * DAY_MS))} then ${sql.raw(String(OLDER))}
    when ${orders.runs} <> 1 or ${orders.type} = 'Subscriptions' then null
    when ${age} < 1000 then 0 else cast(floor(${perDoubling} * log2(max(1000, ${age}) / 1000.0)) as integer) + 1 end`;
  return db
    .select({
      serviceId: orders.serviceId,
      bucket: bucket.as("bucket"),
      count: sql<number>`count(*)`.as("count"),
      late: sumOfLate(now).as("late"),
    })
    .from(orders)
    .where(IS_OPEN)
    .groupBy(orders.serviceId, sql`bucket`);
}

function total({ ended, open }: DeliveryCounts): number {
  return [...Object.values(ended), ...Object.values(open)].reduce((sum, count) => sum + count, 0);
}

function storeTimes(db: Db, rows: TimesRow[]) {
  // In the order of the table's columns.
  const values = sql`
    select value ->> 'serviceId', value ->> 'p50Ms', value ->> 'p90Ms', value ->> 'completed', value ->> 'partial',
      value ->> 'canceled', value ->> 'open', value ->> 'orders', value ->> 'late'
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
        orders: sql`excluded.orders`,
        late: sql`excluded.late`,
      },
      setWhere: sql`(${serviceTimes.p50Ms}, ${serviceTimes.p90Ms}, ${serviceTimes.completed}, ${serviceTimes.partial}, ${serviceTimes.canceled}, ${serviceTimes.open}, ${serviceTimes.orders}, ${serviceTimes.late})
        is not (excluded.p50_ms, excluded.p90_ms, excluded.completed, excluded.partial, excluded.canceled, excluded.open, excluded.orders, excluded.late)`,
    });
}
