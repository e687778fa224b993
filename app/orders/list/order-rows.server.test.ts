import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { liveOrdersOf, readOrderDetail, readOrderRows, selectLiveOrders } from "./order-rows.server.ts";

test("returns the same status, refill and cancellation in the list, the page and the live response", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const who = { userId, isTest: false };
  // The refilled order comes second, so that its id differs from its refill's.
  const [canceling, refilled] = [await place(userId), await place(userId)];
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, refilled));
  expect(await requestRefill(db, who, refilled)).toMatchObject({ ok: true });
  await db.update(orders).set({ status: "In progress" }).where(eq(orders.id, canceling));
  expect(await requestCancellation(db, env, who, canceling)).toMatchObject({ ok: true });

  for (const [id, expected] of [
    [canceling, { status: "In progress", refill: null, cancellation: "Pending" }],
    [refilled, { status: "Completed", refill: "Pending", cancellation: null }],
  ] as const) {
    expect((await readOrderRows(db, userId, [id]))[0]).toMatchObject({ id, ...expected });
    expect(await readOrderDetail(db, userId, id)).toMatchObject({ id, service: "Likes", ...expected });
    expect(liveOrdersOf(await db.batch(selectLiveOrders(db, userId, [id]))).orders).toMatchObject([
      { id, ...expected },
    ]);
  }
});

test("returns nothing to another customer", async () => {
  const { userId } = await customerWith(MICRO);
  const { userId: other } = await customerWith(0);
  const id = await place(userId);
  expect(await readOrderRows(db, other, [id])).toEqual([]);
  expect(await readOrderDetail(db, other, id)).toBeNull();
  expect(liveOrdersOf(await db.batch(selectLiveOrders(db, other, [id]))).orders).toEqual([]);
});

async function place(userId: string): Promise<number> {
  const serviceId = await service({ refill: true, cancel: true });
  const input = {
    serviceId,
    fields: { link: "https://instagram.com/p/1", quantity: "1000" },
    idempotencyKey: crypto.randomUUID(),
    source: "web" as const,
  };
  const placed = await placeOrder(db, userId, input);
  if (!placed.ok) throw new Error(placed.fault.reason);
  return placed.order.id;
}
