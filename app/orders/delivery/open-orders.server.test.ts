import { env } from "cloudflare:workers";
import { eq, inArray, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { openOrders, orders, rollups, serviceTimes } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { selectLateServices } from "./open-orders.server.ts";
import { refreshServiceTimes } from "./service-times.server.ts";

const NOW = Date.UTC(2027, 0, 4, 10);

beforeEach(async () => {
  await db.delete(openOrders);
  await db.delete(serviceTimes);
});

test("counts open orders by status and fulfillment, those past their own time and those that nothing changed for a day", async () => {
  const { userId } = await customerWith(100 * MICRO);
  const serviceId = await service();
  const ids = await place(userId, serviceId, 6);
  const [first = 0, second = 0, third = 0, fourth = 0, done = 0, tested = 0] = ids;
  const set = (id: number, values: Partial<typeof orders.$inferInsert>) =>
    db.update(orders).set(values).where(eq(orders.id, id));
  await set(first, { expectedBy: NOW + 1, createdAt: NOW - 40 * 24 * HOUR_MS });
  await set(second, { expectedBy: NOW, updatedAt: NOW - 24 * HOUR_MS });
  await set(third, { expectedBy: null, updatedAt: NOW - 24 * HOUR_MS - 1 });
  await set(fourth, { status: "In progress", fulfillment: "accepted", expectedBy: NOW - 1, updatedAt: 1 });
  await set(done, { status: "Completed", expectedBy: 1, updatedAt: 1 });
  await set(tested, { isTest: true, expectedBy: 1, updatedAt: 1 });
  await refresh();
  expect(await stored()).toEqual([
    { status: "In progress", fulfillment: "accepted", orders: 1, late: 1, still: 1, oldestAt: NOW - HOUR_MS },
    { status: "Pending", fulfillment: "manual", orders: 3, late: 1, still: 1, oldestAt: NOW - 40 * 24 * HOUR_MS },
  ]);

  await set(fourth, { status: "Canceled" });
  await set(third, { updatedAt: NOW });
  await refresh(NOW + 1);
  expect(await stored()).toEqual([
    { status: "Pending", fulfillment: "manual", orders: 3, late: 2, still: 1, oldestAt: NOW - 40 * 24 * HOUR_MS },
  ]);
  await db.update(orders).set({ status: "Completed" }).where(inArray(orders.id, ids));
  await refresh();
  expect(await stored()).toEqual([]);
});

test("names the services with three late orders that are over a tenth of the open ones, however old these are", async () => {
  const { userId } = await customerWith(100 * MICRO);
  const [slow, few, busy] = [await service(), await service(), await service()];
  const late = { expectedBy: NOW - 1 };
  await setAll(await place(userId, slow, 4), late);
  const [old = 0] = await place(userId, slow, 1);
  await setAll([old], { ...late, createdAt: NOW - 60 * 24 * HOUR_MS });
  await setAll(await place(userId, few, 2), late);
  await setAll(await place(userId, busy, 3), late);
  await refresh();
  await db.update(serviceTimes).set({ open: 30 }).where(eq(serviceTimes.serviceId, busy));
  expect(await selectLateServices(db)).toMatchObject([{ serviceId: slow, late: 5 }]);
  await db.update(serviceTimes).set({ open: 29 }).where(eq(serviceTimes.serviceId, busy));
  expect(await selectLateServices(db)).toMatchObject([
    { serviceId: slow, late: 5 },
    { serviceId: busy, late: 3 },
  ]);
});

test("reads only the open orders to count them, and writes nothing if they stay the same", async () => {
  const { userId } = await customerWith(100 * MICRO);
  await place(userId, await service(), 10);
  const start = await startHistory();
  const reads: number[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    await fillHistory(start, { orders: 3000, conversations: 1 });
    await refresh();
    await db.delete(rollups);
    const { database, counts, byStatement } = countedDatabase(env.DB);
    await refreshServiceTimes(connect(database), NOW);
    reads.push(counts.rowsRead);
    const written = [...byStatement.values()].reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    // The time of the refresh.
    expect(written).toBeLessThanOrEqual(2);
  }
  expect(reads[1]).toBe(reads[0]);
  expect(reads[0]).toBeLessThanOrEqual(200);
});

async function place(userId: string, serviceId: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const fields = { link: `https://instagram.com/p/${crypto.randomUUID()}`, quantity: "100" };
    const input = { serviceId, fields, idempotencyKey: null, source: "web" } as const;
    const placed = await placeOrder(db, userId, input);
    if (!placed.ok) throw new Error(placed.fault.reason);
    ids.push(placed.order.id);
  }
  await setAll(ids, { createdAt: NOW - HOUR_MS, updatedAt: NOW - HOUR_MS });
  return ids;
}

async function setAll(ids: number[], values: Partial<typeof orders.$inferInsert>): Promise<void> {
  await db.update(orders).set(values).where(inArray(orders.id, ids));
}

async function refresh(now = NOW): Promise<void> {
  await db.delete(rollups);
  await refreshServiceTimes(db, now);
}

function stored() {
  return db.select().from(openOrders).orderBy(sql`status`);
}
