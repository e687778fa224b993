import { eq, sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { type Order, services, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import type { Received } from "#tests/stand-ins/webhook-receiver.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers as env } from "#tests/workerd/sleeping-dispatchers.ts";
import { deliverQueue } from "./deliver-webhooks.server.ts";
import type { EndpointWants } from "./endpoint-wants.ts";
import { queueCatalogWebhooks } from "./queue-catalog-webhooks.server.ts";
import { queueLowBalanceWebhooks } from "./queue-webhooks.server.ts";
import { resendDelivery, testEndpoint } from "./resend-and-test.server.ts";
import { chooseEvents, createEndpoint, listDeliveries, setLowBalanceThreshold } from "./webhook-endpoints.server.ts";

const ORDERS = { wantsOrders: true, wantsCatalog: false };
const CATALOG = { wantsOrders: false, wantsCatalog: true };
const BOTH = { wantsOrders: true, wantsCatalog: true };

test("sends an endpoint only the events that it wants, and a new one orders and balance", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const endpoints = [await endpointOf(userId), await endpointOf(userId, CATALOG), await endpointOf(userId, BOTH)];
  await setLowBalanceThreshold(db, userId, 9 * MICRO + MICRO / 2);
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await queueLowBalanceWebhooks(db, env);
  await changePrice();
  await queueCatalogWebhooks(db, env);
  const sent = [];
  for (const { id, url } of endpoints) {
    await deliverQueue(db, env, id);
    sent.push(await typesAt(url));
  }
  expect(sent).toEqual([
    ["order.completed", "balance.low"],
    ["service.changed"],
    ["order.completed", "balance.low", "service.changed"],
  ]);
});

test("sends a test event whatever an endpoint wants", async () => {
  const { userId } = await customerWith(0);
  for (const wants of [ORDERS, CATALOG, BOTH]) {
    const { id, url } = await endpointOf(userId, wants);
    expect(await testEndpoint(db, env, userId, id)).toMatchObject({ ok: true, status: 204 });
    const [logged] = await listDeliveries(db, userId, id, 1);
    expect(await resendDelivery(db, env, userId, logged?.delivery.id ?? 0)).toEqual({ ok: true });
    await deliverQueue(db, env, id);
    expect(await typesAt(url)).toEqual(["webhook.test", "webhook.test"]);
  }
});

test("tells an endpoint that begins to want catalog changes what changes from then on, without a gap", async () => {
  const { userId } = await customerWith(0);
  const { id, url } = await endpointOf(userId);
  const changed = await changePrice();
  expect(await chooseEvents(db, env, await ownerOf(userId), { id, wants: BOTH })).toBe(url);
  await queueCatalogWebhooks(db, env);
  await deliverQueue(db, env, id);
  expect(await at(url)).toEqual([]);
  await changePrice(changed);
  // Saving the same choice again skips nothing.
  await chooseEvents(db, env, await ownerOf(userId), { id, wants: CATALOG });
  await queueCatalogWebhooks(db, env);
  await deliverQueue(db, env, id);
  const [event, ...more] = (await at(url)).map(({ body }) => JSON.parse(body));
  expect(more).toEqual([]);
  expect(event.data.services).toMatchObject([{ service: changed, before: { rate: "2.00" }, after: { rate: "3.00" } }]);
});

test("frees the queue of an endpoint from what it no longer wants, at once", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const { id, url } = await endpointOf(userId, BOTH, "?fail=1");
  await changePrice();
  await queueCatalogWebhooks(db, env);
  await deliverQueue(db, env, id);
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  expect(await deliverQueue(db, env, id)).toBeGreaterThan(0);
  expect(await typesAt(url)).toEqual(["service.changed"]);

  const woken: string[] = [];
  const dispatchers = { getByName: (name: string) => ({ wake: async () => void woken.push(name) }) };
  const waking = { WEBHOOK_DISPATCHER: dispatchers } as unknown as Env;
  await chooseEvents(db, waking, await ownerOf(userId), { id, wants: ORDERS });
  expect(woken).toEqual([id]);
  expect(await deliverQueue(db, env, id)).toBeNull();
  expect(await typesAt(url)).toEqual(["service.changed", "order.completed"]);
  const log = await listDeliveries(db, userId, id, 10);
  expect(log.map(({ delivery }) => [delivery.event, delivery.deliveredAt === null, delivery.nextAttemptAt])).toEqual([
    ["order.completed", false, null],
    ["service.changed", true, null],
  ]);
  const unwanted = log[1]?.delivery.id ?? 0;
  expect(await resendDelivery(db, env, userId, unwanted)).toEqual({ ok: false, reason: "unwanted" });
});

test("gives up a long queue of what is no longer wanted in several rounds, and keeps what is", async () => {
  const { userId } = await customerWith(0);
  const { id, url } = await endpointOf(userId, BOTH);
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into webhook_deliveries (message_id, endpoint_id, event, body, next_attempt_at, created_at)
    select 'msg_' || i, ${id}, iif(i = 2000, 'service.changed', 'order.completed'), '{"type":"kept"}', 1, 1 from n`);
  await chooseEvents(db, env, await ownerOf(userId), { id, wants: CATALOG });
  expect(await deliverQueue(db, env, id)).toBe(0);
  while ((await deliverQueue(db, env, id)) !== null);
  expect(await typesAt(url)).toEqual(["kept"]);
  expect(await db.$count(webhookDeliveries, eq(webhookDeliveries.endpointId, id))).toBe(2500);
});

test("lets nobody choose the events of another's endpoint, after their session, or no events", async () => {
  const { userId } = await customerWith(0);
  const { id } = await endpointOf(userId, BOTH);
  const stranger = await customerWith(0);
  expect(await chooseEvents(db, env, await ownerOf(stranger.userId), { id, wants: ORDERS })).toBeNull();
  const ended = { userId, sessionId: "ended" };
  expect(await chooseEvents(db, env, ended, { id, wants: ORDERS })).toBeNull();
  const none = { wantsOrders: false, wantsCatalog: false };
  await expect(chooseEvents(db, env, await ownerOf(userId), { id, wants: none })).rejects.toThrow();
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id));
  expect(endpoint).toMatchObject(BOTH);
});

async function endpointOf(userId: string, wants?: EndpointWants, query = ""): Promise<{ id: string; url: string }> {
  const url = `${inject("webhooks").url}/${crypto.randomUUID()}${query}`;
  const created = await createEndpoint(db, env, await ownerOf(userId), url, wants);
  if (!created.ok) throw new Error(created.reason);
  return { id: created.id, url };
}

/** Raises the price of a service, which is a new one unless given, and returns its id. */
async function changePrice(known?: number): Promise<number> {
  const id = known ?? (await service({ rate: MICRO }));
  await db
    .update(services)
    .set({ rate: sql`${services.rate} + ${MICRO}` })
    .where(eq(services.id, id));
  return id;
}

async function placed(userId: string): Promise<Order> {
  const result = await placeOrder(db, userId, {
    serviceId: await service(),
    fields: { link: "https://instagram.com/p/1", quantity: "1000" },
    idempotencyKey: null,
    source: "api",
  });
  if (!result.ok) throw new Error(result.fault.reason);
  return result.order;
}

async function at(url: string): Promise<Received[]> {
  return (await fetch(url.split("?")[0] ?? "")).json();
}

async function typesAt(url: string): Promise<string[]> {
  return (await at(url)).map(({ body }) => JSON.parse(body).type);
}
