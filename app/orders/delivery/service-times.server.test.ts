import { env } from "cloudflare:workers";
import { asc, eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type Order, orders, rollups, serviceDays, serviceTimes } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { deleteOldServiceDays, readServiceTimes, refreshServiceTimes } from "./service-times.server.ts";

/** What a bucket adds at most. */
const BUCKET = 1.1;

test("measures how long orders took, with the open ones, and says what share ended early", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(100 * MICRO);
  for (let n = 1; n <= 10; n++) await ended(userId, serviceId, n * MINUTE_MS, "Completed");
  await ended(userId, serviceId, MINUTE_MS, "Canceled");
  await ended(userId, serviceId, MINUTE_MS, "Partial");
  await refresh();
  const times = await readTimes(serviceId);
  expect(times).toMatchObject({ completed: 10, partial: 1, canceled: 1, open: 0, orders: 12 });
  expect(times?.p50Ms).toBeGreaterThanOrEqual(5 * MINUTE_MS);
  expect(times?.p50Ms).toBeLessThan(6 * MINUTE_MS * BUCKET);
  expect(times?.p90Ms).toBeGreaterThanOrEqual(9 * MINUTE_MS);
  expect(times?.p90Ms).toBeLessThan(10 * MINUTE_MS * BUCKET);

  for (let n = 0; n < 5; n++) await age(await place(userId, serviceId), DAY_MS);
  await refresh();
  const withOpen = await readTimes(serviceId);
  expect(withOpen).toMatchObject({ completed: 10, open: 5, p90Ms: null, orders: 17 });
  expect(withOpen?.p50Ms).toBeGreaterThan(times?.p50Ms ?? 0);
});

test("says nothing below ten completed orders, and takes back what it said when they are older than 30 days", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(100 * MICRO);
  for (let n = 0; n < 9; n++) await ended(userId, serviceId, MINUTE_MS, "Completed");
  await refresh();
  expect(await readTimes(serviceId)).toMatchObject({ p50Ms: null, p90Ms: null, completed: 0, orders: 9 });
  expect(await readServiceTimes(db, [serviceId])).toEqual(new Map());
  await ended(userId, serviceId, MINUTE_MS, "Completed");
  await refresh();
  expect(await readTimes(serviceId)).toMatchObject({ completed: 10 });
  expect((await readServiceTimes(db, [serviceId])).get(serviceId)).toMatchObject({ completed: 10 });
  await db
    .update(serviceDays)
    .set({ day: Math.floor(Date.now() / DAY_MS) - 30 })
    .where(eq(serviceDays.serviceId, serviceId));
  await refresh();
  expect(await readTimes(serviceId)).toBeUndefined();
  // The counts stay for reports, of 92 days.
  const daysLeft = async (ago: number) => {
    const day = Math.floor(Date.now() / DAY_MS) - ago;
    await db.update(serviceDays).set({ day }).where(eq(serviceDays.serviceId, serviceId));
    await deleteOldServiceDays(db);
    return (await readDays(serviceId)).length;
  };
  expect([await daysLeft(91), await daysLeft(92)]).toEqual([1, 0]);
});

test("times no drip-feed orders and subscriptions, and counts neither test orders nor those placed before the window", async () => {
  const { userId } = await customerWith(100 * MICRO);
  const serviceId = await service({ dripfeed: true });
  const drip = await place(userId, serviceId, { runs: "3", interval: "10" });
  const old = await age(await place(userId, serviceId), 31 * DAY_MS);
  const subscription: Order = { ...(await place(userId, serviceId)), type: "Subscriptions" };
  const tested = await place(userId, serviceId, {}, { isTest: true });
  for (const order of [old, tested]) await close(order, "Completed");
  expect(await readDays(serviceId)).toEqual([]);
  for (const order of [drip, subscription]) await close(order, "Completed");
  await close(await place(userId, serviceId), "Completed");
  expect(await readDays(serviceId)).toMatchObject([{ ended: { u: 2, c0: 1 } }]);
  await place(userId, serviceId, { runs: "2", interval: "10" });
  await refresh();
  expect(await readTimes(serviceId)).toMatchObject({ completed: 0, open: 0, orders: 4 });
});

test("tells an order at placing when it is usually done, and keeps that whatever is measured later", async () => {
  const serviceId = await service({ dripfeed: true });
  const { userId } = await customerWith(100 * MICRO);
  expect((await place(userId, serviceId)).expectedBy).toBeNull();
  const times = { serviceId, p50Ms: 60_000, p90Ms: 3_600_000, completed: 50, partial: 0, canceled: 0, open: 0 };
  await db.insert(serviceTimes).values(times);
  const placed = await place(userId, serviceId);
  expect(placed.expectedBy).toBe(placed.createdAt + 3_600_000);
  expect((await place(userId, serviceId, { runs: "2", interval: "5" })).expectedBy).toBeNull();
  expect((await place(userId, serviceId, {}, { isTest: true })).expectedBy).toBeNull();

  const lines = ["one", "two"].map((name) => `${serviceId} | https://instagram.com/p/${name} | 100`).join("\n");
  const input = { source: "", idempotencyKey: crypto.randomUUID(), onlyValid: false, agreedCharge: 180_000 };
  expect(await placeMassOrder(db, userId, { ...input, text: lines })).toMatchObject({ ok: true });
  const mass = (await db.select().from(orders).orderBy(asc(orders.id))).slice(-2);
  for (const order of mass) expect(order, "mass").toMatchObject({ expectedBy: order.createdAt + 3_600_000 });

  await db.update(serviceTimes).set({ p90Ms: 7_200_000 }).where(eq(serviceTimes.serviceId, serviceId));
  const [kept] = await db.select().from(orders).where(eq(orders.id, placed.id));
  expect(kept?.expectedBy).toBe(placed.expectedBy);
});

test("counts an order only if it is closed, in the same batch", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(MICRO);
  const order = await place(userId, serviceId);
  expect(await close(order, "Completed")).toBe(true);
  expect(await close(order, "Canceled")).toBe(false);
  expect(await readDays(serviceId)).toMatchObject([{ ended: { c0: 1 } }]);
});

test("costs the same however many orders have ended, and nothing while the last refresh is young", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(100 * MICRO);
  await ended(userId, serviceId, MINUTE_MS, "Completed");
  const read = async () => {
    const { database, counts } = countedDatabase(env.DB);
    await refresh(connect(database));
    return counts.rowsRead;
  };
  await read();
  const before = await read();
  const name = Object.keys((await readDays(serviceId))[0]?.ended ?? {})[0] ?? "";
  await db
    .update(serviceDays)
    .set({ ended: { [name]: 1_000_000 } })
    .where(eq(serviceDays.serviceId, serviceId));
  await read();
  expect(await read()).toBeLessThanOrEqual(before + 5);
  const { database, counts } = countedDatabase(env.DB);
  await refreshServiceTimes(connect(database), Date.now());
  expect(counts.queries).toBe(1);
});

async function place(
  userId: string,
  serviceId: number,
  more: Record<string, string> = {},
  { isTest = false } = {},
): Promise<Order> {
  const fields = { link: `https://instagram.com/p/${crypto.randomUUID()}`, quantity: "100", ...more };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web", isTest });
  if (!placed.ok) throw new Error(placed.fault.reason);
  return placed.order;
}

/** Places an order that long ago. */
async function age(order: Order, ms: number): Promise<Order> {
  const createdAt = order.createdAt - ms;
  await db
    .update(orders)
    .set({ createdAt })
    .where(inArray(orders.id, [order.id]));
  return { ...order, createdAt };
}

async function ended(userId: string, serviceId: number, ms: number, status: FinalStatus): Promise<void> {
  await close(await age(await place(userId, serviceId), ms), status);
}

function close(order: Order, status: FinalStatus): Promise<boolean> {
  const remains = { Completed: 0, Partial: 50, Canceled: 100 }[status];
  return closeOrder(db, env, order, { status, remains, startCount: null });
}

async function refresh(database = db): Promise<void> {
  await db.delete(rollups);
  await refreshServiceTimes(database, Date.now());
}

async function readTimes(serviceId: number) {
  const [times] = await db.select().from(serviceTimes).where(eq(serviceTimes.serviceId, serviceId));
  return times;
}

async function readDays(serviceId: number) {
  return db.select().from(serviceDays).where(eq(serviceDays.serviceId, serviceId));
}
