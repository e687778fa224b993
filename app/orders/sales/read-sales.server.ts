import { and, asc, eq, gte, lte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { profiles, providers, salesDays, salesDayTotals, services, spendingDays } from "#app/db/schema.server.ts";
import { figuresOf, figuresOfAll, nothingSold, type SalesFigures, type SalesSums } from "./sales-figures.ts";
import { bounded, MAX_DAYS, MAX_DAYS_BY_SUBJECT, type Period } from "./sales-period.ts";

/**
 * What was sold and what it cost, for admins. Everything is read from rows that a job sums up each minute, so what was
 * sold within the last minute is missing. Periods are bounded, so nothing costs more as the years pass: a day costs a row
 * in totals, and a row per service (or customer) that sold in it otherwise. Costs are no business of customers or agents:
 * tests/attacks/money/costs-to-customers.test.ts.
 */

/** Subjects of a list at most, those with the most revenue. */
export const SUBJECTS_SHOWN = 100;

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

/** The order of a list: what sold most, earned most, or has the lowest margin. */
export type SalesOrder = "revenue" | "earned" | "margin";

export type ServiceSales = SalesFigures & { serviceId: number; name: string; category: string };

/**
 * Returns the sales of the services that sold in a period of at most 92 days. Reads a row per day, service and provider;
 * returns 100 of them, unless another `limit` is given.
 */
export async function readSalesByService(
  db: Db,
  period: Period,
  { order = "revenue", limit = SUBJECTS_SHOWN }: { order?: SalesOrder; limit?: number } = {},
): Promise<ServiceSales[]> {
  const sold = db
    .select({ serviceId: salesDays.serviceId, ...sumsOfServices })
    .from(salesDays)
    .where(inPeriod(salesDays.day, period))
    .groupBy(salesDays.serviceId)
    .as("sold");
  const rows = await db
    .select({
      serviceId: sold.serviceId,
      ...columnsOf(sold),
      name: services.name,
      category: services.category,
    })
    .from(sold)
    .leftJoin(services, eq(services.id, sold.serviceId))
    .orderBy(...orderOf(order, sold), asc(sold.serviceId))
    .limit(limit);
  return rows.map(({ serviceId, name, category, ...sums }) => ({
    serviceId,
    name: name ?? "",
    category: category ?? "",
    ...figuresOf(sums),
  }));
}

export type ProviderSales = SalesFigures & { providerId: number; name: string };

/** Returns the sales by provider of a period of at most 92 days. The provider 0 is the staff. Reads as much as by service. */
export async function readSalesByProvider(db: Db, period: Period): Promise<ProviderSales[]> {
  const sold = db
    .select({ providerId: salesDays.providerId, ...sumsOfServices })
    .from(salesDays)
    .where(inPeriod(salesDays.day, period))
    .groupBy(salesDays.providerId)
    .as("sold");
  const rows = await db
    .select({ providerId: sold.providerId, ...columnsOf(sold), name: providers.name })
    .from(sold)
    .leftJoin(providers, eq(providers.id, sold.providerId))
    .orderBy(...orderOf("revenue", sold), asc(sold.providerId));
  return rows.map(({ providerId, name, ...sums }) => ({ providerId, name: name ?? "", ...figuresOf(sums) }));
}

/** Of how many orders a cost became known is not kept by customer. */
export type CustomerFigures = Omit<SalesFigures, "costed">;

export type CustomerSales = CustomerFigures & {
  userId: string;
  /** The email, or null for a deleted account. */
  email: string | null;
};

/**
 * Returns the customers who ordered in a period of at most 92 days. Reads a row per day and customer with a change of the
 * balance; returns 100 of them, unless another `limit` is given.
 */
export async function readSalesByCustomer(
  db: Db,
  period: Period,
  { order = "revenue", limit = SUBJECTS_SHOWN }: { order?: SalesOrder; limit?: number } = {},
): Promise<CustomerSales[]> {
  const sold = db
    .select({ userId: spendingDays.userId, ...sumsOfCustomers })
    .from(spendingDays)
    .where(inPeriod(spendingDays.day, period))
    .groupBy(spendingDays.userId)
    .having(sql`sum(orders) <> 0 or sum(refunds) <> 0 or sum(spent) <> 0 or sum(cost) <> 0`)
    .as("sold");
  const rows = await db
    .select({ userId: sold.userId, ...columnsOf(sold), email: profiles.email })
    .from(sold)
    .leftJoin(profiles, eq(profiles.userId, sold.userId))
    .orderBy(...orderOf(order, sold), asc(sold.userId))
    .limit(limit);
  return rows.map(({ userId, email, ...sums }) => ({ userId, email, ...customerFiguresOf(sums) }));
}

/** Returns a service's sales of each day of a period of at most 92 days, oldest first, without gaps. */
export async function readSalesOfService(db: Db, serviceId: number, period: Period): Promise<DaySales[]> {
  const { from, to } = bounded(period, MAX_DAYS_BY_SUBJECT);
  const days = JSON.stringify(Array.from({ length: to - from + 1 }, (_, n) => from + n));
  const rows = await db
    .select({ day: salesDays.day, ...sumsOfServices })
    .from(salesDays)
    // Each day by itself: the key begins with the day, and all services of a period would be read.
    .where(and(sql`${salesDays.day} in (select value from json_each(${days}))`, eq(salesDays.serviceId, serviceId)))
    .groupBy(salesDays.day);
  return everyDay({ from, to }, rows);
}

/** Returns what a customer's orders of a period of at most 400 days brought and cost, by the customer's own rows. */
export async function readSalesOfCustomer(db: Db, userId: string, period: Period): Promise<CustomerFigures> {
  const [sums] = await db
    .select(sumsOfCustomers)
    .from(spendingDays)
    .where(and(eq(spendingDays.userId, userId), inPeriod(spendingDays.day, period, MAX_DAYS)));
  return customerFiguresOf(sums ?? nothingSold());
}

function customerFiguresOf(sums: SalesSums): CustomerFigures {
  const { costed, ...figures } = figuresOf(sums);
  return figures;
}

const sum = (expression: string, name: string) => sql<number>`coalesce(sum(${sql.raw(expression)}), 0)`.as(name);

const sumsOfServices = {
  orders: sum("orders", "orders_sum"),
  charged: sum("charged", "charged_sum"),
  refunds: sum("refunds", "refunds_sum"),
  refunded: sum("refunded", "refunded_sum"),
  cost: sum("cost", "cost_sum"),
  costed: sum("costed", "costed_sum"),
  byHand: sum("iif(provider_id = 0, charged - refunded, 0)", "by_hand_sum"),
};

/** Sums per customer, of whom the spending is stored: charges less refunds. */
const sumsOfCustomers = {
  orders: sum("orders", "orders_sum"),
  charged: sum("spent + refunded", "charged_sum"),
  refunds: sum("refunds", "refunds_sum"),
  refunded: sum("refunded", "refunded_sum"),
  cost: sum("cost", "cost_sum"),
  costed: sum("0", "costed_sum"),
  byHand: sum("by_hand", "by_hand_sum"),
};

type Sold = Record<keyof typeof sumsOfServices, unknown>;

function columnsOf<Table extends Sold>({ orders, charged, refunds, refunded, cost, costed, byHand }: Table) {
  return { orders, charged, refunds, refunded, cost, costed, byHand } as Pick<Table, keyof Sold>;
}

function orderOf(order: SalesOrder, { charged, refunded, cost, byHand }: Sold) {
  const revenue = sql`${charged} - ${refunded}`;
  const resold = sql`(${revenue} - ${byHand})`;
  if (order === "revenue") return [sql`${revenue} desc`];
  if (order === "earned") return [sql`${resold} - ${cost} desc`];
  // Without such revenue there is no margin, but what cost all the same comes first.
  const margin = sql`cast((${resold} - ${cost}) * 10000 / ${resold} as integer)`;
  return [sql`iif(${resold} > 0, ${margin}, iif(${cost} > 0, -1000000000, 1000000000))`];
}

function inPeriod(
  day: typeof salesDays.day | typeof spendingDays.day | typeof salesDayTotals.day,
  period: Period,
  max = MAX_DAYS_BY_SUBJECT,
) {
  const { from, to } = bounded(period, max);
  return and(gte(day, from), lte(day, to));
}

function selectDays(db: Db, period: Period) {
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
    .where(inPeriod(salesDayTotals.day, period, MAX_DAYS));
}

function everyDay({ from, to }: Period, rows: Awaited<ReturnType<typeof selectDays>>): DaySales[] {
  const sums = new Map(rows.map(({ day, ...row }) => [day, row]));
  return Array.from({ length: to - from + 1 }, (_, n) => {
    const day = from + n;
    return { day, ...figuresOf(sums.get(day) ?? nothingSold()) };
  });
}
