import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { profiles, salesDays, salesDayTotals, serviceDays, services, spendingDays } from "#app/db/schema.server.ts";
import { countName } from "#app/orders/delivery/delivery-estimate.ts";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { exportReport } from "./export-report.server.ts";
import { readReport } from "./read-report.server.ts";
import { readReportQuery } from "./report-query.ts";

const TODAY = 20_500;
const NOW = TODAY * DAY_MS + 5 * HOUR_MS;
const YESTERDAY = `from=${dateOf(TODAY - 1)}&to=${dateOf(TODAY - 1)}`;

beforeEach(async () => {
  for (const table of [salesDays, salesDayTotals, spendingDays, serviceDays]) await db.delete(table);
});

const read = (search: string, of = db) => readReport(of, readReportQuery(new URLSearchParams(search), NOW), NOW);

test("compares services and providers with the days before, also those that sell no more", async () => {
  const providerId = await sandboxProvider();
  const [grows, gone, byHand] = [
    await named("Grows", providerId),
    await named("Gone", providerId),
    await named("Hand"),
  ];
  await sell([
    [TODAY - 1, grows, providerId, { orders: 4, charged: 40, refunds: 1, refunded: 10, cost: 12 }],
    [TODAY - 2, grows, providerId, { orders: 2, charged: 20, cost: 10 }],
    [TODAY - 2, gone, providerId, { orders: 1, charged: 50, cost: 5 }],
    [TODAY - 1, byHand, 0, { orders: 1, charged: 7 }],
  ]);
  const { rows } = await read(`by=service&${YESTERDAY}`);
  expect(rows).toMatchObject([
    {
      key: String(grows),
      name: "Grows",
      now: { revenue: 30, orders: 4, refunds: 1, refunded: 10, cost: 12, margin: 6000 },
    },
    { name: "Hand", now: { revenue: 7, byHand: 7, earned: 0, margin: null }, before: { revenue: 0 } },
    { name: "Gone", now: { revenue: 0, orders: 0 }, before: { revenue: 50, earned: 45 } },
  ]);
  const names = async (sort: string) =>
    (await read(`by=service&${YESTERDAY}&sort=${sort}`)).rows.map(({ name }) => name);
  expect(await names("change")).toEqual(["Gone", "Hand", "Grows"]);
  expect(await names("-change")).toEqual(["Grows", "Hand", "Gone"]);
  expect((await names("margin"))[0]).toBe("Grows");
  expect((await names("-margin"))[0]).toBe("Grows");
  expect((await read(`by=provider&${YESTERDAY}`)).rows).toMatchObject([
    { key: String(providerId), now: { revenue: 30 }, before: { revenue: 70 } },
    { key: "0", name: "By hand", now: { revenue: 7 }, before: { revenue: 0 } },
  ]);
});

test("compares each day with the one that is as far from the period's end, or with its date a year before", async () => {
  await db.insert(salesDayTotals).values([
    { day: TODAY - 1, orders: 1, charged: 10 },
    { day: TODAY - 2, orders: 1, charged: 20 },
    { day: TODAY - 3, orders: 1, charged: 30 },
    { day: TODAY - 4, orders: 1, charged: 40 },
    { day: TODAY - 1 - 365, orders: 1, charged: 50 },
  ]);
  const search = `by=day&from=${dateOf(TODAY - 2)}&to=${dateOf(TODAY - 1)}`;
  const { rows, total } = await read(search);
  expect(rows).toMatchObject([
    { name: dateOf(TODAY - 1), now: { revenue: 10 }, before: { revenue: 30 } },
    { name: dateOf(TODAY - 2), now: { revenue: 20 }, before: { revenue: 40 } },
  ]);
  expect(total).toMatchObject({ now: { revenue: 30, orders: 2 }, before: { revenue: 70 } });
  expect((await read(`${search}&sort=-revenue`)).rows[0]).toMatchObject({ now: { revenue: 20 } });
  expect((await read(`${search}&sort=day`)).rows[0]).toMatchObject({ name: dateOf(TODAY - 2) });
  const year = await read(`${search}&against=year`);
  expect(year.rows).toMatchObject([{ before: { revenue: 50 } }, { before: { revenue: 0 } }]);
  expect(year.total.before.revenue).toBe(50);
});

test("says what customers spent, and that an older year isn't known any more", async () => {
  const { userId, email } = await customerWith(0);
  await db.insert(profiles).values({ userId, email }).onConflictDoNothing();
  await db.insert(spendingDays).values([
    { userId, day: TODAY - 1, spent: 30, refunded: 10, refunds: 1, orders: 3, balance: 0, cost: 4, byHand: 5 },
    { userId, day: TODAY - 2, spent: 50, orders: 1, balance: 0 },
    { userId: "deleted-9", day: TODAY - 1, spent: -2, refunded: 2, refunds: 1, balance: 0 },
    { userId: "tops up", day: TODAY - 1, added: MICRO, balance: MICRO },
  ]);
  expect((await read(`by=customer&${YESTERDAY}`)).rows).toMatchObject([
    {
      key: userId,
      name: email,
      now: { orders: 3, revenue: 30, refunds: 1, refunded: 10, cost: 4, earned: 21 },
      before: { revenue: 50 },
      delivery: { p50Ms: null, partial: null },
    },
    { key: "deleted-9", name: "", now: { revenue: -2, margin: null } },
  ]);
  const old = `from=${dateOf(TODAY - 60)}&to=${dateOf(TODAY - 1)}`;
  expect((await read(`by=customer&${old}&against=year`)).rows).toMatchObject([{ before: null }, { before: null }]);
});

test("tells how long orders took and what share ended early, with the open ones, for the days that are kept", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await named("Timed", providerId);
  await sell([
    [TODAY - 1, serviceId, providerId, { orders: 20, charged: 20 }],
    [TODAY - 2, serviceId, providerId, { orders: 10, charged: 10 }],
  ]);
  const hour = countName("Completed", HOUR_MS);
  await db.insert(serviceDays).values([
    {
      day: TODAY - 1,
      serviceId,
      ended: { [hour]: 12, [countName("Canceled", 60_000)]: 3, [countName("Partial", HOUR_MS)]: 1, u: 1 },
    },
    { day: TODAY - 2, serviceId, ended: { [countName("Completed", 2 * HOUR_MS)]: 10 } },
  ]);
  const days = await db.select().from(serviceDays);
  await db.insert(spendingDays).values([
    ...days.map(({ day, ended }) => ({
      userId: "timed",
      day,
      spent: 9,
      orders: day === TODAY - 1 ? 20 : 10,
      balance: 0,
      ended,
    })),
    // Another's, of the same days.
    { userId: "other", day: TODAY - 1, orders: 1, balance: 0, ended: { [countName("Partial", 1000)]: 1 } },
  ]);
  for (const by of ["service", "provider", "day", "customer"]) {
    const [row] = (await read(`by=${by}&${YESTERDAY}`)).rows;
    expect(row, by).toMatchObject({
      delivery: { p90Ms: null, canceled: 1875, partial: 625 },
      deliveryBefore: { canceled: 0, partial: 0 },
    });
    expect(row?.delivery?.p50Ms, by).toBeGreaterThanOrEqual(HOUR_MS);
    expect(row?.delivery?.p50Ms, by).toBeLessThan(1.1 * HOUR_MS);
    expect(row?.deliveryBefore?.p50Ms, by).toBeGreaterThanOrEqual(2 * HOUR_MS);
  }
  expect((await read(`by=customer&${YESTERDAY}`)).rows.map(({ key, delivery }) => [key, delivery?.partial])).toEqual([
    ["timed", 625],
    ["other", 10_000],
  ]);
  const months = `from=${dateOf(TODAY - 60)}&to=${dateOf(TODAY - 1)}`;
  const [row] = (await read(`by=service&${months}`)).rows;
  expect(row?.delivery).not.toBeNull();
  expect(row?.deliveryBefore).toBeNull();
  // A customer's days are kept for longer.
  const canceled = { [countName("Canceled", 1000)]: 1 };
  await db.insert(spendingDays).values({ userId: "timed", day: TODAY - 100, orders: 1, balance: 0, ended: canceled });
  expect((await read(`by=customer&${months}`)).rows[0]).toMatchObject({
    delivery: { partial: 385 },
    deliveryBefore: { canceled: 10_000 },
  });
});

test("reads as many rows however much was sold before the periods that it compares", async () => {
  const providerId = await sandboxProvider();
  const last30 = ["by=day", "by=service", "by=provider", "by=customer"];
  const withYear = ["by=service&against=year", "by=day&from=2020-01-01", `by=provider&from=${dateOf(TODAY - 92)}`];
  const readRows = async (searches: string[]) => {
    const reads: number[] = [];
    for (const search of searches) {
      const { database, counts } = countedDatabase(env.DB);
      await read(search, connect(database));
      reads.push(counts.rowsRead);
    }
    return reads;
  };
  await fill(TODAY - 100, providerId);
  const after100 = await readRows(last30);
  await fill(TODAY - 900, providerId);
  const after900 = await readRows(withYear);
  await fill(TODAY - 1100, providerId);
  console.log(`rows read for a report of 30 days of 20 services and customers, after 100 days: ${after100}`);
  expect(await readRows(last30)).toEqual(after100);
  expect(await readRows(withYear)).toEqual(after900);
  // A row per day of two periods, once in the list and once in the totals.
  expect(after100[0]).toBeLessThanOrEqual(4 * 31);
  expect(Math.max(...after100)).toBeLessThanOrEqual(2 * 30 * 20 * 8);
});

test("exports what the page shows, each figure beside the one it is compared with", async () => {
  await fill(TODAY - 3, await sandboxProvider());
  const lines = async (search: string) => {
    const csv = await new Response(await exportReport(db, new URLSearchParams(search), NOW)).text();
    return csv.replace("\ufeff", "").trim().split(/\r?\n/);
  };
  const [head, first] = await lines(`by=day&${YESTERDAY}`);
  expect(head).toBe(
    "day,orders,orders_before,revenue_USD,revenue_USD_before,refunded_orders,refunded_orders_before,refunded_USD," +
      "refunded_USD_before,cost_USD,cost_USD_before,earned_USD,earned_USD_before,margin_percent,margin_percent_before," +
      "orders_with_known_cost,orders_with_known_cost_before,revenue_by_hand_USD,revenue_by_hand_USD_before,half_delivered_in_seconds,half_delivered_in_seconds_before," +
      "nine_of_ten_delivered_in_seconds,nine_of_ten_delivered_in_seconds_before,partial_percent,partial_percent_before," +
      "canceled_percent,canceled_percent_before",
  );
  expect(first).toContain(
    `${dateOf(TODAY - 1)},20,20,0.0018,0.0018,0,0,0.00,0.00,0.0008,0.0008,0.001,0.001,55.55,55.55,20,20,0.00,0.00`,
  );
  expect(await lines(`by=service&${YESTERDAY}`)).toHaveLength(21);
  expect(await lines(`by=provider&${YESTERDAY}`)).toHaveLength(2);
  const customers = await lines(`by=customer&${YESTERDAY}`);
  expect(customers).toHaveLength(21);
  expect(customers[0]).not.toContain("orders_with_known_cost");
  expect(await lines("by=customer&from=2020-01-01&to=2020-01-01")).toHaveLength(1);
});

type Sums = Partial<typeof salesDays.$inferInsert>;

async function named(name: string, providerId: number | null = null): Promise<number> {
  const providerServiceId = providerId === null ? null : crypto.randomUUID();
  return service({ name, providerId, providerServiceId });
}

async function sell(sold: [day: number, serviceId: number, providerId: number, sums: Sums][]): Promise<void> {
  await db
    .insert(salesDays)
    .values(sold.map(([day, serviceId, providerId, sums]) => ({ ...sums, day, serviceId, providerId })));
  await env.DB.exec(
    "insert into sales_day_totals (day, orders, charged) select day, sum(orders), sum(charged) from sales_days group by day",
  );
}

/** Adds a sale of each of 20 services and customers to every day from `first` to today that has none. */
async function fill(first: number, providerId: number): Promise<void> {
  const many = `with recursive days(d) as (select ${first} union all select d + 1 from days where d < ${TODAY}),
    n(i) as (select 1 union all select i + 1 from n where i < 20)`;
  const run = (query: string) => env.DB.prepare(`${many} ${query}`).run();
  const [some] = await db.select({ id: services.id }).from(services).limit(1);
  await run(`insert or ignore into sales_days (day, service_id, provider_id, orders, charged, cost, costed)
    select d, i, ${providerId}, 1, 90, 40, 1 from days, n`);
  await run(
    `insert or ignore into sales_day_totals (day, orders, charged, cost, costed) select d, 20, 1800, 800, 20 from days`,
  );
  await run(
    `insert or ignore into spending_days (user_id, day, spent, orders, balance, cost) select 'user ' || i, d, 90, 1, 0, 40 from days, n`,
  );
  if (some) {
    await run(`insert or ignore into service_days (day, service_id, ended)
      select d, ${some.id}, '{"c20": 5}' from days`);
  }
}
