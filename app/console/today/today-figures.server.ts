import { eq } from "drizzle-orm";
import { countWaiting } from "#app/console/orders/list/staff-order-list.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_STATUSES, rollups } from "#app/db/schema.server.ts";
import { selectLateServices, selectOpenOrders } from "#app/orders/delivery/open-orders.server.ts";
import { SERVICE_TIMES_ROLLUP } from "#app/orders/delivery/service-times.server.ts";
import { daysLeft, LOW_FUNDS_DAYS, selectProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { readSalesTotals } from "#app/orders/sales/read-sales.server.ts";
import { daysBefore, lastDays, salesDayOf } from "#app/orders/sales/sales-period.ts";
import { selectFaultCount } from "#app/orders/wallet/nightly-ledger-check.server.ts";

const FAULTS_COUNTED_TO = 1000;

export type TodayFigures = Awaited<ReturnType<typeof readToday>>;

/**
 * Reads what an admin looks at every morning, all of it from sums that jobs keep: a row per day of the last 61, per state of
 * open orders, per service with orders in the last 30 days, and eight per provider. None of it grows with the history.
 */
export async function readToday(db: Db, now: number) {
  const [sales, waiting, [open, late, [counted], funds, [faults]]] = await Promise.all([
    readPeriods(db, now),
    countWaiting(db),
    db.batch([
      selectOpenOrders(db),
      selectLateServices(db),
      db.select({ at: rollups.upToId }).from(rollups).where(eq(rollups.name, SERVICE_TIMES_ROLLUP)),
      selectProviderFunds(db, now),
      selectFaultCount(db, FAULTS_COUNTED_TO),
    ]),
  ]);
  return {
    sales,
    waiting,
    open: openByStatus(open),
    /** When the open orders were counted. Null: never. */
    countedAt: counted?.at ?? null,
    late,
    providers: funds
      .map((provider) => {
        const days = daysLeft(provider, now);
        return { ...provider, daysLeft: days, isLow: days !== null && days < LOW_FUNDS_DAYS };
      })
      .sort((one, other) => one.name.localeCompare(other.name, "en")),
    ledgerFaults: faults?.faults ?? 0,
  };
}

async function readPeriods(db: Db, now: number) {
  const [yesterday, week, month] = [lastDays(1, now), lastDays(7, now), lastDays(30, now)];
  const today = salesDayOf(now);
  const totals = await readSalesTotals(db, {
    today: { from: today, to: today },
    yesterday,
    week,
    month,
    beforeYesterday: daysBefore(yesterday),
    beforeWeek: daysBefore(week),
    beforeMonth: daysBefore(month),
  });
  return [
    { name: "Today so far", period: { from: today, to: today }, figures: totals.today, before: null },
    { name: "Yesterday", period: yesterday, figures: totals.yesterday, before: totals.beforeYesterday },
    { name: "Last 7 days", period: week, figures: totals.week, before: totals.beforeWeek },
    { name: "Last 30 days", period: month, figures: totals.month, before: totals.beforeMonth },
  ];
}

type Counts = Awaited<ReturnType<typeof selectOpenOrders>>;

/** Adds up the counts of each status, in the order of an order's life, and of how the orders are fulfilled. */
function openByStatus(counts: Counts) {
  const sumOf = (rows: Counts) => ({
    orders: rows.reduce((sum, { orders }) => sum + orders, 0),
    late: rows.reduce((sum, { late }) => sum + late, 0),
    still: rows.reduce((sum, { still }) => sum + still, 0),
    oldestAt: rows.length === 0 ? null : Math.min(...rows.map(({ oldestAt }) => oldestAt)),
  });
  const statuses = ORDER_STATUSES.map((status) => ({
    status,
    ...sumOf(counts.filter((row) => row.status === status)),
  }));
  const ordersOf = (fulfillment: Counts[number]["fulfillment"]) =>
    sumOf(counts.filter((row) => row.fulfillment === fulfillment)).orders;
  return {
    statuses: statuses.filter(({ orders }) => orders > 0),
    total: sumOf(counts),
    queued: ordersOf("queued") + ordersOf("submitting"),
    atProviders: ordersOf("accepted"),
  };
}
