import { env } from "cloudflare:workers";
import { and, asc, eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type Order, orders, rollups, serviceDays, spendingDays } from "#app/db/schema.server.ts";
import { anonymizeOrders, OrdersLeft } from "#app/orders/anonymize-orders.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { readReport } from "#app/orders/reports/read-report.server.ts";
import { readReportQuery } from "#app/orders/reports/report-query.ts";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { refreshServiceTimes } from "./service-times.server.ts";

const ORDERS = atScale(160, 2000);
const CHARGE = 100;
const STATUSES = ["Completed", "Completed", "Completed", "Partial", "Canceled"] as const;

type Ended = Pick<Order, "id" | "userId" | "status" | "createdAt" | "updatedAt" | "runs" | "isTest">;

test("counts the orders of each customer as a recount of all of them does, however refreshes fall between", async () => {
  const random = seededRandom(7);
  const services = [await service(), await service(), await service()];
  const people: string[] = [];
  for (let n = 0; n < 8; n++) people.push((await customerWith(MICRO)).userId);
  const [prompt = "", leaves = ""] = people;
  const now = Date.now();
  const placed = Array.from({ length: ORDERS }, () => ({
    userId: random.pick(people),
    serviceId: random.pick(services),
    // The oldest are too old to be counted.
    createdAt: now - random.upTo(40 * DAY_MS),
    runs: random.chance(0.05) ? 2 : 1,
    isTest: random.chance(0.05),
  })).toSorted((one, other) => one.createdAt - other.createdAt);
  for (const order of placed) if (order.userId === prompt) order.createdAt = now - HOUR_MS - random.upTo(20 * HOUR_MS);
  const open = await insert(placed.toSorted((one, other) => one.createdAt - other.createdAt));
  await rollUpSpending(db);
  await refresh();

  for (const [n, order] of open.entries()) {
    if (order.userId !== prompt && random.chance(0.1)) continue;
    const status = order.userId === prompt ? "Completed" : random.pick(STATUSES);
    const remains = { Completed: 0, Partial: 50, Canceled: 100 * order.runs }[status];
    await closeOrder(db, env, order, { status, remains, startCount: null });
    if (n % (ORDERS / 5) === ORDERS / 5 - 1) await Promise.all([refresh(), refresh()]);
    if (n === ORDERS / 2) await anonymizeAll(leaves);
  }
  await refresh();
  await rollUpSpending(db);

  const all = await db.select().from(orders).where(inArray(orders.serviceId, services)).orderBy(asc(orders.id));
  const left = people.filter((userId) => userId !== leaves);
  expect(all.filter(({ userId }) => userId === leaves)).toEqual([]);
  expect(await countsOf(left)).toEqual(recount(all.filter(({ userId }) => left.includes(userId))));
  expect(
    (await db.select().from(serviceDays)).map((row) => row.newlyEnded).filter((ids) => Object.keys(ids).length),
  ).toEqual([]);
  expect(await checkLedger(db)).toEqual([]);

  const search = new URLSearchParams({ by: "customer", from: dateOf(dayOf(now) - 28), to: dateOf(dayOf(now)) });
  const { rows } = await readReport(db, readReportQuery(search, now), now);
  for (const userId of left) {
    const own = all.filter(
      (order) => order.userId === userId && !order.isTest && dayOf(order.createdAt) >= dayOf(now) - 28,
    );
    const ends = own.filter(({ status, runs }) => status !== "Pending" && runs === 1);
    const share = (status: string) =>
      Math.round((10_000 * ends.filter((one) => one.status === status).length) / ends.length);
    expect(rows.find(({ key }) => key === userId)?.delivery).toMatchObject({
      partial: share("Partial"),
      canceled: share("Canceled"),
    });
  }
  const times = all
    .filter(({ userId, runs, isTest }) => userId === prompt && runs === 1 && !isTest)
    .map(({ createdAt, updatedAt }) => updatedAt - createdAt)
    .sort((one, other) => one - other);
  const shown = rows.find(({ key }) => key === prompt)?.delivery;
  for (const [ms, part] of [
    [shown?.p50Ms, 0.5],
    [shown?.p90Ms, 0.9],
  ] as const) {
    const exact = times[Math.ceil(times.length * part) - 1] ?? 0;
    expect(ms).toBeGreaterThanOrEqual(exact);
    expect(ms).toBeLessThan(exact * 1.1);
  }
}, 420_000);

test("keeps two customers of one service and day apart, with what each has open", async () => {
  const serviceId = await service();
  const [one, other] = [(await customerWith(MICRO)).userId, (await customerWith(MICRO)).userId];
  const createdAt = (dayOf(Date.now()) - 1) * DAY_MS + HOUR_MS;
  const of = (userId: string) => ({ userId, serviceId, createdAt, runs: 1, isTest: false });
  const placed = await insert([
    ...Array.from({ length: 12 }, () => of(one)),
    ...Array.from({ length: 4 }, () => of(other)),
  ]);
  for (const order of placed.slice(0, 10)) {
    await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: null });
  }
  for (const order of placed.slice(12, 14)) {
    await closeOrder(db, env, order, { status: "Canceled", remains: 100, startCount: null });
  }
  // The counts arrive before the charges are summed up: their row is made, with the balance of that day.
  await refresh();
  await rollUpSpending(db);
  const now = Date.now();
  const yesterday = dateOf(dayOf(now) - 1);
  const { rows } = await readReport(
    db,
    readReportQuery(new URLSearchParams({ by: "customer", from: yesterday, to: yesterday }), now),
    now,
  );
  const deliveryOf = (userId: string) => rows.find(({ key }) => key === userId);
  expect(deliveryOf(one)).toMatchObject({ now: { orders: 12 }, delivery: { partial: 0, canceled: 0 } });
  expect(deliveryOf(one)?.delivery?.p50Ms).toBeGreaterThan(0);
  expect(deliveryOf(other)).toMatchObject({
    now: { orders: 4 },
    delivery: { p50Ms: null, partial: 0, canceled: 10_000 },
  });
  expect(await checkLedger(db)).toEqual([]);
});

test("writes a row for each customer's day and each service's, however many orders ended", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(MICRO);
  const written: number[] = [];
  for (const count of [3, 30]) {
    const createdAt = Date.now() - HOUR_MS;
    const placed = await insert(
      Array.from({ length: count }, () => ({ userId, serviceId, createdAt, runs: 1, isTest: false })),
    );
    await rollUpSpending(db);
    for (const order of placed) await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: null });
    const { database, byStatement } = countedDatabase(env.DB);
    await refresh(connect(database));
    const ours = [...byStatement].filter(([query]) =>
      /^(insert into "spending_days"|update "service_days")/.test(query),
    );
    written.push(ours.reduce((sum, [, { rowsWritten }]) => sum + rowsWritten, 0));
  }
  expect(written).toEqual([2, 2]);
});

test("ends an order although the list of those that ended is full", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(MICRO);
  const createdAt = Date.now() - 1000;
  const full = { 1: "c".repeat(500_000) };
  const day = dayOf(createdAt);
  await db.insert(serviceDays).values({ day, serviceId, ended: {}, newlyEnded: full });
  const [order] = await insert([{ userId, serviceId, createdAt, runs: 1, isTest: false }]);
  if (!order) throw new Error("no order");
  expect(await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: null })).toBe(true);
  const [row] = await db.select().from(serviceDays).where(eq(serviceDays.serviceId, serviceId));
  expect(Object.values(row?.ended ?? {})).toEqual([1]);
  expect(row?.newlyEnded).toEqual(full);
});

type Placed = Pick<Order, "userId" | "serviceId" | "createdAt" | "runs" | "isTest">;

/** As the job does that resumes deletions. */
async function anonymizeAll(userId: string): Promise<void> {
  try {
    await anonymizeOrders(db, env, userId);
  } catch (error) {
    if (!(error instanceof OrdersLeft)) throw error;
    await anonymizeAll(userId);
  }
}

/** Inserts orders that wait, as placing them does, with their charges. */
async function insert(placed: Placed[]): Promise<Order[]> {
  const [last] = await env.DB.prepare("select coalesce(max(id), 0) as id from orders")
    .all<{ id: number }>()
    .then(({ results }) => results);
  const first = (last?.id ?? 0) + 1;
  const rows = JSON.stringify(placed.map((order, n) => ({ ...order, id: first + n, isTest: Number(order.isTest) })));
  const value = (name: string) => `(value ->> '${name}')`;
  const charged = "from json_each(?1) where value ->> 'isTest' = 0";
  await env.DB.batch(
    [
      `insert into orders (id, user_id, service_id, type, link, quantity, runs, charge, remains, idempotency_key, request_digest,
         source, fulfillment, is_test, created_at, updated_at)
       select ${value("id")}, ${value("userId")}, ${value("serviceId")}, 'Default', 'https://instagram.com/p/1', 100, ${value("runs")},
         iif(${value("isTest")}, 0, ${CHARGE}), 100, 'k' || ${value("id")}, '', 'api', 'manual', ${value("isTest")},
         ${value("createdAt")}, ${value("createdAt")} from json_each(?1)`,
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select ${value("userId")}, ${value("id")}, 'charge', -${CHARGE},
         ${MICRO} - ${CHARGE} * (row_number() over (partition by ${value("userId")} order by ${value("id")})
           + (select count(*) from ledger l where l.user_id = ${value("userId")} and kind = 'charge')),
         ${value("createdAt")} ${charged} order by ${value("id")}`,
      `update wallets set balance = balance - ${CHARGE} * n from
         (select ${value("userId")} as user, count(*) as n ${charged} group by 1) where user_id = user`,
    ].map((statement) => env.DB.prepare(statement).bind(rows)),
  );
  return db
    .select()
    .from(orders)
    .where(
      and(
        inArray(
          orders.serviceId,
          placed.map((one) => one.serviceId).filter((id, n, all) => all.indexOf(id) === n),
        ),
        eq(orders.status, "Pending"),
      ),
    )
    .orderBy(asc(orders.id));
}

async function refresh(database = db): Promise<void> {
  await db.delete(rollups).where(eq(rollups.name, "service times"));
  await refreshServiceTimes(database, Date.now());
}

/** Returns the stored counts by customer and day. */
async function countsOf(userIds: string[]): Promise<Record<string, Record<string, number>>> {
  const rows = await db.select().from(spendingDays).where(inArray(spendingDays.userId, userIds));
  const counted = rows.filter(({ ended }) => Object.keys(ended).length > 0);
  return Object.fromEntries(counted.map(({ userId, day, ended }) => [`${userId} ${day}`, ended]));
}

/** Counts orders one by one: a letter for the ending, and the first of the times, each 2^(1/8) longer, that is above theirs. */
function recount(all: Ended[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { userId, status, createdAt, updatedAt, runs, isTest } of all) {
    if (isTest || status === "Pending" || dayOf(createdAt) <= dayOf(updatedAt) - 30) continue;
    let bucket = 0;
    while (1000 * 2 ** (bucket / 8) <= updatedAt - createdAt) bucket++;
    const letter = { Completed: "c", Partial: "p", Canceled: "x" }[status as string];
    const name = runs === 1 ? `${letter}${bucket}` : "u";
    const key = `${userId} ${dayOf(createdAt)}`;
    const day = counts[key] ?? {};
    counts[key] = day;
    day[name] = (day[name] ?? 0) + 1;
  }
  return counts;
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
