import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { hasPassed } from "#app/components/formats/has-passed.ts";
import { sourceOf } from "#app/console/orders/list/order-source.server.ts";
import { readOrderFilter } from "#app/console/orders/list/staff-order-page.server.ts";
import { orders, rollups } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { selectOpenOrders } from "./open-orders.server.ts";
import { refreshServiceTimes } from "./service-times.server.ts";

const NOW = Date.UTC(2027, 0, 4, 10);
const [orderId = 0] = (await placeOrders(["https://instagram.com/p/late"])).orderIds;

async function counts(): Promise<{ late: number; still: number }> {
  // They are refreshed once in some minutes.
  await db.delete(rollups);
  await refreshServiceTimes(db, NOW);
  const [row] = await selectOpenOrders(db);
  return { late: row?.late ?? 0, still: row?.still ?? 0 };
}

async function isListed(filter: string): Promise<boolean> {
  const { rest } = sourceOf(readOrderFilter(new URLSearchParams(filter), null), null, NOW);
  return (await db.$count(orders, rest)) === 1;
}

test.each([
  [-1, true],
  [0, true],
  [1, false],
])("the list, the count and the customer's page agree about an order expected %i ms from now", async (ms, isLate) => {
  const expectedBy = NOW + ms;
  await db.update(orders).set({ expectedBy, updatedAt: NOW }).where(eq(orders.id, orderId));
  expect([await isListed("late=1"), (await counts()).late === 1, hasPassed(expectedBy, NOW)]).toEqual(
    Array.from({ length: 3 }, () => isLate),
  );
});

test.each([
  [-1, true],
  [0, false],
  [1, false],
])("the list and the count agree about an order changed a day and %i ms ago", async (ms, isStill) => {
  await db
    .update(orders)
    .set({ expectedBy: null, updatedAt: NOW - DAY_MS + ms })
    .where(eq(orders.id, orderId));
  expect([await isListed("still=1"), (await counts()).still === 1]).toEqual([isStill, isStill]);
});
