import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import {
  bucketOf,
  type DeliveryCounts,
  dayOf,
  ENDINGS,
  estimateDelivery,
  UNMEASURED,
} from "#app/orders/delivery/delivery-estimate.ts";
import { SERVICE_DAYS_KEPT } from "#app/orders/delivery/service-times.server.ts";
import { WHOLE } from "#app/orders/rules/margin.ts";
import { MAX_DAYS_BY_SUBJECT, type Period } from "#app/orders/sales/sales-period.ts";
import { SPENDING_DAYS_KEPT } from "#app/orders/wallet/spending.server.ts";
import { ownValue } from "#app/own-value.ts";
import { DAY_MS } from "#app/time.ts";

/** How the orders placed in a period ended. Times are in ms, shares of the ended orders in basis points. Null: not known. */
export type DeliveryFigures = {
  p50Ms: number | null;
  p90Ms: number | null;
  partial: number | null;
  canceled: number | null;
};

/** What orders are grouped by. A provider has the services that are its own today, which staff can change. */
export type DeliverySubject = "day" | "service" | "provider" | "customer";

/** A day, the id of a service or provider, or a customer's. */
type SubjectId = number | string;

type Selection = { selectEnded: SQL; selectOrders: SQL };

/** Longest periods that are read for delivery. By day and by provider, all services of each day are read. */
export const MAX_TIMED_DAYS: Record<DeliverySubject, number> = {
  day: 14,
  provider: 31,
  service: SERVICE_DAYS_KEPT,
  customer: MAX_DAYS_BY_SUBJECT,
};

type EndedRow = { subject: SubjectId; day: number; ended: string };
type OrdersRow = { subject: SubjectId; day: number; orders: number };

/**
 * Returns how the orders placed in a period ended, by subject. Reads a row per day and service of the period, by service only
 * those with the given ids, and by customer a row per day and given id. Null if the counts of its first days are deleted,
 * or if it is too long.
 */
export async function readDelivery(
  db: Db,
  by: DeliverySubject,
  period: Period,
  now: number,
  ids: SubjectId[] = [],
): Promise<Map<SubjectId, DeliveryFigures> | null> {
  const isTooLong = period.to - period.from + 1 > MAX_TIMED_DAYS[by];
  const kept = by === "customer" ? SPENDING_DAYS_KEPT : SERVICE_DAYS_KEPT;
  if (isTooLong || period.from <= dayOf(now) - kept) return null;
  const [rows, ordered] =
    by === "customer"
      ? await readCustomerDays(db, period, ids)
      : await readServiceDays(db, selectionOf(by, period, ids));
  const days = new Map<SubjectId, Map<number, DayOfOrders>>();
  const of = (subject: SubjectId, day: number) => {
    const own = days.get(subject) ?? new Map<number, DayOfOrders>();
    days.set(subject, own);
    const known = own.get(day) ?? { day, orders: 0, ended: {} };
    own.set(day, known);
    return known;
  };
  for (const { subject, day, ended } of rows) of(subject, day).ended = JSON.parse(ended);
  for (const { subject, day, orders } of ordered) of(subject, day).orders = orders;
  return new Map([...days].map(([subject, own]) => [subject, deliveryOf([...own.values()], now)]));
}

/** The number of orders that were placed on a day, and the counts of those that ended. */
type DayOfOrders = { day: number; orders: number; ended: Record<string, number> };

/** Returns how the orders of these days ended, and those that are open. */
export function deliveryOf(days: DayOfOrders[], now: number): DeliveryFigures {
  const ended: Record<string, number> = {};
  const open: Record<number, number> = {};
  for (const { day, orders, ended: counts } of days) {
    let left = orders;
    for (const [name, count] of Object.entries(counts)) {
      ended[name] = (ownValue(ended, name) ?? 0) + count;
      left -= count;
    }
    if (left <= 0) continue;
    // Orders of that day that have not ended count as open, as long as its last one could be.
    const bucket = bucketOf(Math.max(0, now - (day + 1) * DAY_MS));
    open[bucket] = (open[bucket] ?? 0) + left;
  }
  return figuresOf({ ended, open });
}

async function readServiceDays(
  db: Db,
  { selectEnded, selectOrders }: Selection,
): Promise<[rows: EndedRow[], ordered: OrdersRow[]]> {
  return Promise.all([db.all<EndedRow>(selectEnded), db.all<OrdersRow>(selectOrders)]);
}

/** Reads the customers' days, each of which has both what was ordered on it and how that ended. */
async function readCustomerDays(
  db: Db,
  { from, to }: Period,
  userIds: SubjectId[],
): Promise<[rows: EndedRow[], ordered: OrdersRow[]]> {
  const rows = await db.all<EndedRow & OrdersRow>(sql`
    select user_id as subject, day, ended, orders from spending_days
    where user_id in (select value from json_each(${JSON.stringify(userIds)}))
      and day between cast(${from} as integer) and cast(${to} as integer)`);
  return [rows, rows];
}

function selectionOf(
  by: Exclude<DeliverySubject, "customer">,
  { from, to }: Period,
  serviceIds: SubjectId[],
): Selection {
  const inPeriod = sql`d.day between cast(${from} as integer) and cast(${to} as integer)`;
  if (by === "service") {
    const days = JSON.stringify(Array.from({ length: to - from + 1 }, (_, n) => from + n));
    // Each day and service by itself: the keys begin with the day, and all services of the period would be read.
    const chosen = sql`d.day in (select value from json_each(${days}))
      and d.service_id in (select value from json_each(${JSON.stringify(serviceIds)}))`;
    return {
      selectEnded: sql`select d.service_id as subject, d.day, d.ended from service_days d where ${chosen}`,
      selectOrders: sql`select d.service_id as subject, d.day, sum(d.orders) as orders from sales_days d
        where ${chosen} group by 1, 2`,
    };
  }
  const provider = sql`coalesce((select s.provider_id from services s where s.id = d.service_id), 0)`;
  const key = by === "day" ? sql`d.day` : provider;
  return {
    selectEnded: sql`select subject, day, json_group_object(name, count) as ended from (
        select ${key} as subject, d.day, e.key as name, sum(e.value) as count
        from service_days d cross join json_each(d.ended) e where ${inPeriod} group by 1, 2, 3
      ) group by 1, 2`,
    selectOrders:
      by === "day"
        ? sql`select d.day as subject, d.day, d.orders from sales_day_totals d where ${inPeriod}`
        : sql`select ${provider} as subject, d.day, sum(d.orders) as orders from sales_days d
            where ${inPeriod} group by 1, 2`,
  };
}

function figuresOf({ ended: { [UNMEASURED]: unmeasured, ...ended }, open }: DeliveryCounts): DeliveryFigures {
  const { p50Ms = null, p90Ms = null } = estimateDelivery({ ended, open }) ?? {};
  const ending = (letter: string) =>
    Object.entries(ended).reduce((sum, [name, count]) => sum + (name.startsWith(letter) ? count : 0), 0);
  const all = Object.values(ended).reduce((sum, count) => sum + count, 0);
  const share = (letter: string) => (all === 0 ? null : Math.round((ending(letter) * WHOLE) / all));
  return { p50Ms, p90Ms, partial: share(ENDINGS.Partial), canceled: share(ENDINGS.Canceled) };
}
