import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { ledger, rollups, spendingDays } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { readSpending, rollUpSpending } from "./spending.server.ts";

const DAY_MS = 86_400_000;

test("sums up each day once and includes entries that are not summed up yet", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const first = await place(userId, serviceId, 1000);
  await age(userId, 3);
  const now = Date.now();
  const unsummed = await readSpending(db, userId, 5, now);
  await Promise.all([rollUpSpending(db), rollUpSpending(db), rollUpSpending(db)]);
  expect(await readSpending(db, userId, 5, now)).toEqual(unsummed);
  expect(unsummed.map(({ spent }) => spent)).toEqual([0, 900_000, 0, 0, 0]);
  const dates = [4, 3, 2, 1, 0].map((ago) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10));
  expect(unsummed.map(({ day }) => day)).toEqual(dates);
  expect(unsummed.map(({ balance }) => balance)).toEqual([0, ...Array(4).fill(9_100_000)]);

  await place(userId, serviceId, 2000);
  await closeOrder(db, env, first, { status: "Canceled", remains: 500, startCount: null });
  const mixed = await readSpending(db, userId, 5, now);
  expect(mixed.at(-1)).toMatchObject({ spent: 1_800_000 - 450_000, orders: 1, balance: 7_750_000 });
  await rollUpSpending(db);
  expect(await readSpending(db, userId, 5, now)).toEqual(mixed);
  expect(await db.select().from(spendingDays).where(eq(spendingDays.userId, userId))).toHaveLength(2);

  await place(userId, serviceId, 1000);
  const third = await readSpending(db, userId, 5, now);
  expect(third.at(-1)).toMatchObject({ spent: 1_800_000 - 450_000 + 900_000, orders: 2, balance: 6_850_000 });
  const other = { name: crypto.randomUUID(), upToId: 1 };
  await db.insert(rollups).values(other);
  await rollUpSpending(db);
  expect(await readSpending(db, userId, 5, now)).toEqual(third);
  expect(await db.select().from(rollups).where(eq(rollups.name, other.name))).toMatchObject([other]);
});

test("starts with the balance of the last day before the range", async () => {
  const { userId } = await customerWith(3 * MICRO);
  await age(userId, 40);
  const other = await customerWith(5 * MICRO);
  await age(other.userId, 20);
  const now = Date.now();
  expect((await readSpending(db, userId, 7, now)).map(({ balance }) => balance)).toEqual(Array(7).fill(3 * MICRO));
  // Resets the rollup, because the test changed the dates of entries that were already summed up.
  await db.delete(spendingDays).where(eq(spendingDays.userId, userId));
  await db.delete(rollups);
  await db.delete(spendingDays);
  await rollUpSpending(db);
  expect((await readSpending(db, userId, 7, now)).map(({ balance }) => balance)).toEqual(Array(7).fill(3 * MICRO));
});

async function place(userId: string, serviceId: number, quantity: number) {
  const placed = await placeOrder(db, userId, {
    serviceId,
    fields: { link: "https://instagram.com/p/1", quantity: String(quantity) },
    idempotencyKey: null,
    source: "web",
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  return placed.order;
}

async function age(userId: string, days: number): Promise<void> {
  await env.DB.prepare("update ledger set created_at = created_at - ? where user_id = ?")
    .bind(days * DAY_MS, userId)
    .run();
  expect(await db.select().from(ledger).where(eq(ledger.userId, userId))).not.toHaveLength(0);
}
