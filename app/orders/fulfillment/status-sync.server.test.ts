import { and, eq, inArray } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { orders, serviceTimes } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";

afterEach(async () => expect(await checkLedger(db)).toEqual([]));

test("completes every order of a service that has completed many", async () => {
  const { serviceId, orderIds } = await placeMany(70);
  await completeAll(orderIds);
  const [times] = await db.select().from(serviceTimes).where(eq(serviceTimes.serviceId, serviceId));
  expect(times?.completed).toBe(70);
  expect(times?.averageMs).toSatisfy(Number.isInteger);
});

test("syncs the other orders when one status cannot be stored, and retries that one", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { orderIds } = await placeMany(3);
  const [failing = 0, ...rest] = orderIds;
  const lift = await refuseUpdates("orders", `new.id = ${failing} and new.status = 'Completed'`);
  await completeAll(rest);
  expect(await openOrders(orderIds)).toEqual([failing]);
  expect(errors).toHaveBeenCalledWith(expect.stringContaining(`"order":${failing}`));
  await lift();
  await completeAll(orderIds);
});

test("syncs other orders behind more failing ones than a call holds", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { orderIds, providerId } = await placeMany(101);
  const last = orderIds.at(-1) ?? 0;
  const isFailing = `new.provider_id = ${providerId} and new.id <> ${last}`;
  const lift = await refuseUpdates("orders", `${isFailing} and new.status <> old.status`);
  await completeAll([last]);
  await lift();
});

async function placeMany(count: number) {
  const providerId = await sandboxProvider();
  const serviceId = await service({ providerId, providerServiceId: "1" });
  const { userId } = await customerWith(count * MICRO);
  const orderIds: number[] = [];
  for (let n = 0; n < count; n++) {
    const fields = { link: `https://instagram.com/p/${n}`, quantity: "1000" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    orderIds.push(placed.order.id);
  }
  return { providerId, serviceId, orderIds };
}

/** Runs fulfillment until all orders are completed. */
async function completeAll(orderIds: number[]): Promise<void> {
  await vi.waitUntil(
    async () => {
      await runFulfillment();
      return (await openOrders(orderIds)).length === 0;
    },
    { timeout: 20_000, interval: 200 },
  );
}

async function openOrders(orderIds: number[]): Promise<number[]> {
  const open = and(inArray(orders.id, orderIds), inArray(orders.status, [...OPEN_STATUSES]));
  return (await db.select({ id: orders.id }).from(orders).where(open)).map(({ id }) => id);
}
