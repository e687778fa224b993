import { and, between, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { salesDayTotals, spendingDays } from "#app/db/schema.server.ts";
import { figuresOf, figuresOfAll, nothingSold, type SalesFigures } from "./sales-figures.ts";
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

/** Of how many orders a cost became known is not kept by customer. */
export type CustomerFigures = Omit<SalesFigures, "costed">;

/** Returns what a customer's orders of a period of at most 400 days brought and cost, by the customer's own rows. */
export async function readSalesOfCustomer(db: Db, userId: string, period: Period): Promise<CustomerFigures> {
  const { from, to } = bounded(period, MAX_DAYS);
  const [sums] = await db
    .select({
      orders: sum("orders"),
      // The spending is stored: charges less refunds.
      charged: sum("spent + refunded"),
      refunds: sum("refunds"),
      refunded: sum("refunded"),
      cost: sum("cost"),
      byHand: sum("by_hand"),
    })
    .from(spendingDays)
    .where(and(eq(spendingDays.userId, userId), between(spendingDays.day, from, to)));
  const { costed, ...figures } = figuresOf({ ...nothingSold(), ...sums });
  return figures;
}

function sum(expression: string) {
  return sql<number>`coalesce(sum(${sql.raw(expression)}), 0)`;
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
