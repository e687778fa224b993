import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { providerBalances, providerUseDays, salesDays, salesDayTotals, spendingDays } from "#app/db/schema.server.ts";
import { reconcileProvider } from "#app/orders/providers/reconcile-provider.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { deleteOldSales } from "./old-sales.server.ts";
import { readDaysOfCustomer, readSalesByDay, readSalesTotal, readSalesTotals } from "./read-sales.server.ts";
import { figuresOfAll } from "./sales-figures.ts";
import { daysBefore, lastDays, readPeriod } from "./sales-period.ts";

const TODAY = 20_000;

beforeEach(async () => {
  for (const table of [salesDays, salesDayTotals, spendingDays, providerUseDays]) await db.delete(table);
});

test("adds up what a customer brought and cost, without what staff fulfill in the margin", async () => {
  const { userId } = await customerWith(0);
  await db.insert(spendingDays).values([
    {
      userId,
      day: TODAY,
      spent: 40 * MICRO,
      orders: 4,
      balance: 0,
      cost: 3 * MICRO,
      byHand: 30 * MICRO,
      refunds: 1,
      refunded: 2 * MICRO,
    },
    { userId, day: TODAY - 9, spent: 99 * MICRO, orders: 9, balance: 0, cost: MICRO },
    { userId: "another", day: TODAY, spent: MICRO, orders: 1, balance: 0, cost: 2 * MICRO },
  ]);
  const period = { from: TODAY - 1, to: TODAY };
  const figures = async (of: string) => figuresOfAll(await readDaysOfCustomer(db, of, period));
  expect(await figures(userId)).toEqual({
    orders: 4,
    revenue: 40 * MICRO,
    refunds: 1,
    refunded: 2 * MICRO,
    byHand: 30 * MICRO,
    cost: 3 * MICRO,
    earned: 7 * MICRO,
    margin: 7000,
    costed: 0,
  });
  expect(await figures("another")).toMatchObject({ earned: -MICRO, margin: -10_000 });
  expect(await figures("nobody")).toMatchObject({ orders: 0, revenue: 0, margin: null });
});

test("compares a period with the days before it in one read", async () => {
  await db.insert(salesDayTotals).values([
    { day: TODAY - 1, orders: 1, charged: 100, cost: 25, byHand: 50 },
    { day: TODAY - 2, orders: 2, charged: 10, refunds: 1, refunded: 10, cost: 5 },
    { day: TODAY - 8, orders: 4, charged: 7, cost: 1 },
    { day: TODAY, orders: 8, charged: 1_000 },
  ]);
  const now = TODAY * DAY_MS + 5;
  const yesterday = lastDays(1, now);
  const week = lastDays(7, now);
  expect([yesterday, week, daysBefore(week)]).toEqual([
    { from: TODAY - 1, to: TODAY - 1 },
    { from: TODAY - 7, to: TODAY - 1 },
    { from: TODAY - 14, to: TODAY - 8 },
  ]);
  const totals = await readSalesTotals(db, { yesterday, week, before: daysBefore(week) });
  expect(totals).toMatchObject({
    yesterday: { orders: 1, revenue: 100, earned: 25, margin: 5000 },
    week: { orders: 3, revenue: 100, cost: 30, earned: 20, refunds: 1 },
    before: { orders: 4, revenue: 7 },
  });
  expect(await readSalesTotal(db, week)).toEqual(totals.week);
  expect((await readSalesByDay(db, week)).map(({ revenue }) => revenue)).toEqual([0, 0, 0, 0, 0, 0, 100]);
});

test("reads periods that a person writes, and none that is too long", () => {
  const now = Date.UTC(2026, 10, 24, 5);
  const read = (search: string) => readPeriod(new URLSearchParams(search), now, 92);
  const day = (text: string) => Date.parse(text) / DAY_MS;
  expect(read("")).toEqual({ from: day("2026-10-25"), to: day("2026-11-23") });
  expect(read("from=2026-11-01&to=2026-11-03")).toEqual({ from: day("2026-11-01"), to: day("2026-11-03") });
  expect(read("from=2026-11-09&to=2026-11-03")).toEqual({ from: day("2026-11-03"), to: day("2026-11-03") });
  expect(read("from=2020-01-01&to=2026-11-03")).toEqual({ from: day("2026-11-03") - 91, to: day("2026-11-03") });
  for (const odd of ["2026-02-30", "x", "2026-1-1", "99999999999"]) {
    expect(read(`from=${odd}&to=${odd}`), odd).toEqual(read(""));
  }
});

test("reads as many rows for a period however much was sold before it", async () => {
  const period = { from: TODAY - 29, to: TODAY };
  const providerId = await sandboxProvider();
  const reads: Record<string, number>[] = [];
  for (const oldest of [100, 1100]) {
    await fill(TODAY - oldest, providerId);
    const counts: Record<string, number> = {};
    for (const [name, read] of Object.entries({
      byDay: (counted: typeof db) => readSalesByDay(counted, period),
      ofCustomer: (counted: typeof db) => readDaysOfCustomer(counted, "user 3", period),
      reconciled: (counted: typeof db) => reconcileProvider(counted, providerId, (TODAY + 0.5) * DAY_MS),
    })) {
      const { database, counts: rows } = countedDatabase(env.DB);
      await read(connect(database));
      counts[name] = rows.rowsRead;
    }
    reads.push(counts);
  }
  console.log(
    `rows read for 30 days of totals, a customer and a provider, after 100 and 1,100 days: ${JSON.stringify(reads)}`,
  );
  expect(reads[1]).toEqual(reads[0]);
  expect(reads[0]?.byDay).toBeLessThanOrEqual(31);
  expect(reads[0]?.ofCustomer).toBeLessThanOrEqual(31);
  expect(reads[0]?.reconciled).toBeLessThanOrEqual(32);
});

test("deletes the sales of services after 800 days, and no total", async () => {
  const row = { serviceId: 1, providerId: 1 };
  await db.insert(salesDays).values([801, 800].map((ago) => ({ day: TODAY - ago, ...row })));
  await db.insert(salesDayTotals).values([{ day: TODAY - 801 }]);
  await deleteOldSales(db, TODAY * DAY_MS);
  expect(await db.select().from(salesDays)).toMatchObject([{ day: TODAY - 800 }]);
  expect(await db.$count(salesDayTotals)).toBe(1);
});

test("compares each day's costs at a provider with its balance, and says what it can't know", async () => {
  const providerId = await sandboxProvider();
  const readAt = (TODAY - 5) * DAY_MS;
  const balance = { providerId, askedAt: readAt, balance: 1, currency: "USD", readAt, firstReadAt: readAt };
  await db.insert(providerBalances).values(balance);
  const days = [
    [TODAY, 5, 0, 10],
    [TODAY - 1, 10, 0, 10],
    [TODAY - 2, 14, 0, 10],
    [TODAY - 3, 4, 500, 10],
    [TODAY - 5, 1, 0, 10],
    [TODAY - 30, 1, 0, 10],
  ] as const;
  await db.insert(providerUseDays).values(
    days.map(([day, spent, risen, cost]) => ({
      providerId,
      day,
      spent: spent * MICRO,
      risen: risen * MICRO,
      cost: cost * MICRO,
    })),
  );
  const { days: judged, isComparable } = await reconcileProvider(db, providerId, (TODAY + 0.5) * DAY_MS);
  expect(isComparable).toBe(true);
  expect(judged.map(({ day, verdict, difference }) => [TODAY - day, verdict, difference])).toEqual([
    [0, "today", -5 * MICRO],
    [1, "matches", 0],
    [2, "took_more", 4 * MICRO],
    [3, "rose", null],
    [5, "unread", null],
  ]);
});

/** Adds a sale of each of 20 services and customers to every day from `first` to today that has none. */
async function fill(first: number, providerId: number): Promise<void> {
  const many = `with recursive days(d) as (select ${first} union all select d + 1 from days where d < ${TODAY}),
    n(i) as (select 1 union all select i + 1 from n where i < 20)`;
  const run = (query: string) => env.DB.prepare(`${many} ${query}`).run();
  await run(`insert or ignore into sales_days (day, service_id, provider_id, orders, charged, cost, costed)
    select d, i, ${providerId}, 1, 90, 40, 1 from days, n`);
  await run(
    `insert or ignore into sales_day_totals (day, orders, charged, cost, costed) select d, 20, 1800, 800, 20 from days`,
  );
  await run(
    `insert or ignore into spending_days (user_id, day, spent, orders, balance, cost) select 'user ' || i, d, 90, 1, 0, 40 from days, n`,
  );
  await run(
    `insert or ignore into provider_use_days (provider_id, day, spent, cost) select ${providerId}, d, 800, 800 from days`,
  );
}
