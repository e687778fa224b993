import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test, vi } from "vitest";
import { webhookDeliveries } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { resendDelivery, testEndpoint } from "#app/orders/webhooks/resend-and-test.server.ts";
import { wakeDueEndpoints, wakeEndpoints } from "#app/orders/webhooks/wake-endpoints.server.ts";
import {
  createEndpoint,
  enableEndpoint,
  listDeliveries,
  listEndpoints,
} from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import type { Received } from "#tests/stand-ins/webhook-receiver.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { repeatAlarm } from "#tests/workerd/repeat-alarm.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";

const WAIT = { timeout: 90_000, interval: 20 };

test("delivers events in their order as soon as orders close, without the cron trigger", async () => {
  const shop = await withEndpoint();
  const orderIds = await closeOrders(shop.userId, 5);
  await vi.waitUntil(async () => (await shop.received()).length === 5, WAIT);
  expect(await shop.orders()).toEqual(orderIds);
});

test("holds later deliveries back until the failed one before them was delivered", async () => {
  const shop = await withEndpoint("?fail=2");
  const [first, ...later] = await closeOrders(shop.userId, 4);
  await vi.waitUntil(async () => (await shop.head())?.attempts === 1, WAIT);
  for (const attempts of [2, 3]) {
    expect(await shop.received()).toHaveLength(attempts - 1);
    await makeDue(shop.endpointId);
    await vi.waitUntil(async () => (await shop.received()).length >= attempts, WAIT);
    if (attempts === 2) await vi.waitUntil(async () => (await shop.head())?.attempts === 2, WAIT);
  }
  await vi.waitUntil(async () => (await shop.received()).length === 6, WAIT);
  expect(await shop.orders()).toEqual([first, first, first, ...later]);
  const ids = (await shop.received()).map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(new Set(ids).size).toBe(4);
});

test("delivers to one endpoint while another one hangs", async () => {
  const hanging = await withEndpoint("?hang=99");
  const healthy = await withEndpoint();
  await closeOrders(hanging.userId, 3);
  await vi.waitUntil(async () => (await hanging.received()).length === 1, WAIT);
  const orderIds = await closeOrders(healthy.userId, 10);
  await vi.waitUntil(async () => (await healthy.received()).length === 10, WAIT);
  expect(await healthy.orders()).toEqual(orderIds);
  expect(await hanging.received()).toHaveLength(1);
  expect(await hanging.head()).toMatchObject({ attempts: 0, deliveredAt: null });
});

test("sends a delivery again under its id after a kill between request and result", async () => {
  const shop = await withEndpoint("?hang=1");
  const orderIds = await closeOrders(shop.userId, 3);
  await vi.waitUntil(async () => (await shop.received()).length === 1, WAIT);
  const dispatcher = env.WEBHOOK_DISPATCHER.getByName(shop.endpointId);
  await expect(runInDurableObject(dispatcher, (_, state) => state.abort("killed"))).rejects.toThrow("killed");
  await wakeDueEndpoints(db, env);
  await repeatAlarm(env.WEBHOOK_DISPATCHER.getByName(shop.endpointId));
  await vi.waitUntil(async () => (await shop.received()).length === 4, WAIT);
  expect(await shop.orders()).toEqual([orderIds[0], ...orderIds]);
  const [first, second] = await shop.received();
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
});

test("turns an endpoint off after the last retry and keeps what waited as not sent, to be resent later", async () => {
  const shop = await withEndpoint("?fail=1");
  const stranger = await customerWith(0);
  await db.insert(webhookDeliveries).values(
    [9, 0, 0].map((attempts, n) => ({
      messageId: `msg_${shop.endpointId}${n}`,
      endpointId: shop.endpointId,
      event: "order.completed" as const,
      body: JSON.stringify({ data: { order: n } }),
      attempts,
      nextAttemptAt: 1,
      createdAt: n,
    })),
  );
  await wakeDueEndpoints(db, env);
  await vi.waitUntil(async () => (await shop.log()).every(({ nextAttemptAt }) => nextAttemptAt === null), WAIT);
  expect(await listEndpoints(db, shop.userId)).toMatchObject([{ disabledAt: expect.any(Number) }]);
  const log = await shop.log();
  expect(log).toMatchObject([{ attempts: 10 }, { attempts: 0 }, { attempts: 0 }]);
  expect(log.map(({ nextAttemptAt, deliveredAt }) => nextAttemptAt ?? deliveredAt)).toEqual([null, null, null]);

  const ids = log.map(({ id }) => id);
  expect(await resendDelivery(db, env, stranger.userId, ids[1] ?? 0)).toEqual({ ok: false, reason: "not_found" });
  expect(await resendDelivery(db, env, shop.userId, ids[1] ?? 0)).toEqual({ ok: false, reason: "endpoint_off" });
  expect(await listDeliveries(db, stranger.userId, shop.endpointId, 10)).toEqual([]);
  await enableEndpoint(db, await ownerOf(shop.userId), shop.endpointId);
  for (const id of ids) expect(await resendDelivery(db, env, shop.userId, id)).toEqual({ ok: true });
  await vi.waitUntil(async () => (await shop.received()).length === 4, WAIT);
  expect(await shop.orders()).toEqual([0, 0, 1, 2]);
});

test("retries the queue at once after a test event was delivered", async () => {
  const shop = await withEndpoint("?fail=1");
  await closeOrders(shop.userId, 2);
  await vi.waitUntil(async () => (await shop.head())?.attempts === 1, WAIT);
  expect(await testEndpoint(db, env, shop.userId, shop.endpointId)).toEqual({ ok: true, status: 204, error: null });
  await vi.waitUntil(async () => (await shop.received()).length === 4, WAIT);
});

async function withEndpoint(query = "") {
  const { userId } = await customerWith(20 * MICRO);
  const url = `${inject("webhooks").url}/${crypto.randomUUID()}`;
  const created = await createEndpoint(db, env, await ownerOf(userId), url + query);
  if (!created.ok) throw new Error(created.reason);
  const endpointId = created.id;
  const received = async () => (await (await fetch(url)).json()) as Received[];
  const log = () =>
    db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.endpointId, endpointId))
      .orderBy(webhookDeliveries.id);
  return {
    userId,
    endpointId,
    received,
    orders: async () => (await received()).map(({ body }) => JSON.parse(body).data.order as number),
    log,
    head: async () => (await log()).find(({ deliveredAt }) => deliveredAt === null),
  };
}

/** Closes that many orders of the customer, one after the other, and returns their ids. */
async function closeOrders(userId: string, count: number): Promise<number[]> {
  const serviceId = await service();
  const orderIds: number[] = [];
  for (let n = 0; n < count; n++) {
    const fields = { link: `https://instagram.com/p/${n}`, quantity: "1000" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    await closeOrder(db, env, placed.order, { status: "Completed", remains: 0, startCount: null });
    orderIds.push(placed.order.id);
  }
  return orderIds;
}

/** Ends the wait of a failed delivery. */
async function makeDue(endpointId: string): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: sql`iif(${webhookDeliveries.nextAttemptAt} is null, null, 1)` })
    .where(eq(webhookDeliveries.endpointId, endpointId));
  await wakeEndpoints(env, [{ endpointId }]);
}
