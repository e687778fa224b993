import { and, between, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { salesDayTotals, spendingDays } from "#app/db/schema.server.ts";
import { figuresOf, figuresOfAll, nothingSold, type SalesFigures, type SalesSums } from "./sales-figures.ts";
import { bounded, MAX_DAYS, type Period } from "./sales-period.ts";

/**
 * What was sold and what it cost, for admins. Everything is read from rows that a job sums up each minute, so what was
 * sold within the last minute is missing. Periods are bounded, so nothing costs more as the years pass: a day costs a
 * row. Lists by service, provider and customer are reports: read-report.server.ts. Costs are no business of customers or
 * agents: tests/attacks/money/costs-to-customers.test.ts.
 */

export type DaySales = SalesFigures & { day: number };

/** Returns the sales of each day of a period, oldest first, without gaps. At most 400 days, a row each. */
export async function readSalesByDay(db: Db, period: Period): Promise<DaySales[]> {
  const { from, to } = bounded(period, MAX_DAYS);
  const rows = await selectDays(db, { from, to });
  return everyDay({ from, to }, rows);
}

/** Returns what a period's sales add up to, of at most 400 days. */
export async function readSalesTotal(db: Db, period: Period): Promise<SalesFigures> {
  return figuresOfAll(await selectDays(db, bounded(period, MAX_DAYS)));
}

/**
 * Returns the totals of several periods in one read, such as yesterday, the last 7 and 30 days and the days before each. Reads
 * a row per day from the earliest to the latest, at most 400.
 */
export async function readSalesTotals<Name extends string>(
  db: Db,
  periods: Record<Name, Period>,
): Promise<Record<Name, SalesFigures>> {
  const all = Object.values<Period>(periods);
  const from = Math.min(...all.map((one) => one.from));
  const to = Math.max(...all.map((one) => one.to));
  const rows = await selectDays(db, bounded({ from, to }, MAX_DAYS));
  const totals = Object.entries<Period>(periods).map(([name, period]) => [
    name,
    figuresOfAll(rows.filter(({ day }) => day >= period.from && day <= period.to)),
  ]);
  return Object.fromEntries(totals) as Record<Name, SalesFigures>;
}

export type CustomerDay = SalesSums & { day: number; ended: Record<string, number> };

/**
 * Returns what a customer's orders brought and cost on each day of a period of at most 400 days, and how those placed on it
 * ended. Of how many orders a cost became known is not kept by customer.
 */
export async function readDaysOfCustomer(db: Db, userId: string, period: Period): Promise<CustomerDay[]> {
  const { from, to } = bounded(period, MAX_DAYS);
  return db
    .select({
      day: spendingDays.day,
      orders: spendingDays.orders,
      // The spending is stored: charges less refunds.
      charged: sql<number>`${spendingDays.spent} + ${spendingDays.refunded}`,
      refunds: spendingDays.refunds,
      refunded: spendingDays.refunded,
      cost: spendingDays.cost,
      costed: sql<number>`0`.as("costed"),
      byHand: spendingDays.byHand,
      ended: spendingDays.ended,
    })
    .from(spendingDays)
    .where(and(eq(spendingDays.userId, userId), between(spendingDays.day, from, to)));
}

function selectDays(db: Db, { from, to }: Period) {
  return db
    .select({
      day: salesDayTotals.day,
      orders: salesDayTotals.orders,
      charged: salesDayTotals.charged,
      refunds: salesDayTotals.refunds,
      refunded: salesDayTotals.refunded,
      cost: salesDayTotals.cost,
      costed: salesDayTotals.costed,
      byHand: salesDayTotals.byHand,
    })
    .from(salesDayTotals)
    .where(between(salesDayTotals.day, from, to));
}

function everyDay({ from, to }: Period, rows: Awaited<ReturnType<typeof selectDays>>): DaySales[] {
  const sums = new Map(rows.map(({ day, ...row }) => [day, row]));
  return Array.from({ length: to - from + 1 }, (_, n) => {
    const day = from + n;
    return { day, ...figuresOf(sums.get(day) ?? nothingSold()) };
  });
}
