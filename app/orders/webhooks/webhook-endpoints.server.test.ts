import { and, eq, isNotNull } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, inject, test, vi } from "vitest";
import { type Order, securityEvents, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { nextAttempt } from "#app/http/outgoing/webhook-retry.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import type { Received } from "#tests/stand-ins/webhook-receiver.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers as env } from "#tests/workerd/sleeping-dispatchers.ts";
import { deliverQueue, MAX_FAILING_MS } from "./deliver-webhooks.server.ts";
import { queueLowBalanceWebhooks } from "./queue-webhooks.server.ts";
import { resendDelivery, testEndpoint } from "./resend-and-test.server.ts";
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listDeliveries,
  listEndpoints,
  rotateSecret,
  setLowBalanceThreshold,
} from "./webhook-endpoints.server.ts";

test("sends a completed order once to each endpoint of its owner, signed", async () => {
  const { userId, url, secret, endpointId } = await withEndpoint();
  const stranger = await withEndpoint();
  const order = await placed(userId);
  await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: 5 });
  await deliverQueue(db, env, endpointId);
  await deliverQueue(db, env, stranger.endpointId);
  const [received, ...more] = await at(url);
  expect(more).toEqual([]);
  expect(new Webhook(secret).verify(received?.body ?? "", received?.headers ?? {})).toMatchObject({
    type: "order.completed",
    data: { order: order.id, status: "Completed", charge: "0.90", remains: 0, currency: "USD" },
  });
  expect(await at(stranger.url)).toEqual([]);
});

test("sends partial and canceled orders with the charge after the refund", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  const [first, second] = [await placed(userId), await placed(userId)];
  await closeOrder(db, env, first, { status: "Partial", remains: 500, startCount: null });
  await closeOrder(db, env, second, { status: "Canceled", remains: 1000, startCount: null });
  await closeOrder(db, env, second, { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  const received = (await at(url)).map(({ body }) => JSON.parse(body));
  expect(received.map(({ type, data }) => [type, data.charge])).toEqual([
    ["order.partial", "0.45"],
    ["order.canceled", "0.00"],
  ]);
});

test("retries a failed delivery under the same id and logs the error", async () => {
  const { userId, url, endpointId } = await withEndpoint("?fail=1");
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  await deliverQueue(db, env, endpointId);
  const [failed] = await listDeliveries(db, userId, endpointId, 10);
  expect(failed?.delivery).toMatchObject({ attempts: 1, lastStatus: 500, deliveredAt: null });
  expect(failed?.delivery.nextAttemptAt).toBeGreaterThan(Date.now());
  await db.update(webhookDeliveries).set({ nextAttemptAt: 1 }).where(eq(webhookDeliveries.endpointId, endpointId));
  await deliverQueue(db, env, endpointId);
  const received = await at(url);
  expect(received).toHaveLength(2);
  expect(received[0]?.headers["webhook-id"]).toBe(received[1]?.headers["webhook-id"]);
  const [done] = await listDeliveries(db, userId, endpointId, 10);
  expect(done?.delivery).toMatchObject({ attempts: 2, lastStatus: 204, lastError: null, nextAttemptAt: null });
});

test("a result for a deleted endpoint leaves another customer's delivery with the same id to be sent", async () => {
  const { userId, endpointId } = await withEndpoint();
  const other = await withEndpoint();
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  const [mine] = await listDeliveries(db, userId, endpointId, 1);
  const next = await placed(other.userId);
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    await deleteEndpoint(db, userId, endpointId);
    await closeOrder(db, env, next, { status: "Completed", remains: 0, startCount: null });
    return new Response(null, { status: 204 });
  });
  await deliverQueue(db, env, endpointId);
  fetched.mockRestore();
  const [theirs] = await listDeliveries(db, other.userId, other.endpointId, 1);
  expect(theirs?.delivery).toMatchObject({ id: mine?.delivery.id, attempts: 0, deliveredAt: null });
  await deliverQueue(db, env, other.endpointId);
  expect(await at(other.url)).toHaveLength(1);
});

test("stops retrying after three days", () => {
  expect(nextAttempt(1, 1000, 0)).toBe(6000);
  expect(nextAttempt(1, 1000, 1)).toBe(6500);
  expect(nextAttempt(9, 0, 0)).toBe(24 * 3_600_000);
  expect(nextAttempt(10, 0, 0)).toBeNull();
});

test("signs with both secrets during a rotation, then only with the new one", async () => {
  const { userId, url, secret, endpointId } = await withEndpoint();
  const next = (await rotateSecret(db, env, await ownerOf(userId), endpointId)) ?? "";
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  const [during] = await at(url);
  for (const each of [secret, next]) new Webhook(each).verify(during?.body ?? "", during?.headers ?? {});
  await db.update(webhookEndpoints).set({ previousUntil: 1 }).where(eq(webhookEndpoints.id, endpointId));
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  const after = (await at(url))[1];
  new Webhook(next).verify(after?.body ?? "", after?.headers ?? {});
  expect(() => new Webhook(secret).verify(after?.body ?? "", after?.headers ?? {})).toThrow();
});

test("sends a low balance once, and again after it was above the threshold", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  await setLowBalanceThreshold(db, userId, 9 * MICRO + MICRO / 2);
  await placed(userId);
  const turn = async () => {
    await queueLowBalanceWebhooks(db, env);
    await deliverQueue(db, env, endpointId);
  };
  await turn();
  await turn();
  expect((await at(url)).map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "balance.low", data: { balance: "9.10", below: "9.50" } },
  ]);
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  await turn();
  await placed(userId);
  await turn();
  expect(await at(url)).toHaveLength(2);
});

test("resends a delivery for its owner only", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  const other = await customerWith(0);
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  const [row] = await listDeliveries(db, userId, endpointId, 10);
  const id = row?.delivery.id ?? 0;
  expect(await listDeliveries(db, other.userId, endpointId, 10)).toEqual([]);
  expect(await resendDelivery(db, env, other.userId, id)).toEqual({ ok: false, reason: "not_found" });
  expect(await rotateSecret(db, env, await ownerOf(other.userId), endpointId)).toBeNull();
  expect(await deleteEndpoint(db, other.userId, endpointId)).toBe(false);
  expect(await resendDelivery(db, env, userId, id)).toEqual({ ok: true });
  await deliverQueue(db, env, endpointId);
  expect(await at(url)).toHaveLength(2);
});

test("stores no secret in plain text and refuses private URLs in production", async () => {
  const { userId, secret, endpointId } = await withEndpoint();
  const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
  expect(JSON.stringify(row)).not.toContain(secret.slice("whsec_".length));
  const production = { ...env, ENVIRONMENT: "production" };
  for (const url of [
    "http://shop.example/hook",
    "https://127.0.0.1/hook",
    "https://169.254.169.254/",
    "https://localhost/",
    `https://shop.example/${"a".repeat(2000)}`,
  ]) {
    expect(await createEndpoint(db, production, await ownerOf(userId), url), url).toEqual({
      ok: false,
      reason: "bad_url",
    });
  }
});

test("allows five endpoints per account, even when added concurrently", async () => {
  const { userId } = await customerWith(0);
  const owner = await ownerOf(userId);
  const created = await Promise.all(
    Array.from({ length: 8 }, () => createEndpoint(db, env, owner, "https://shop.example/hook")),
  );
  expect(created.filter(({ ok }) => ok)).toHaveLength(5);
});

test("sends a signed test at once, without retries, for the owner only", async () => {
  const { userId, url, secret, endpointId } = await withEndpoint("?fail=1");
  const other = await customerWith(0);
  expect(await testEndpoint(db, env, other.userId, endpointId)).toBeNull();
  expect(await testEndpoint(db, env, userId, endpointId)).toEqual({ ok: true, status: 500, error: "HTTP 500" });
  expect(await listEndpoints(db, userId)).toMatchObject([{ failingSince: expect.any(Number), disabledAt: null }]);
  await deliverQueue(db, env, endpointId);
  expect(await testEndpoint(db, env, userId, endpointId)).toEqual({ ok: true, status: 204, error: null });
  const received = await at(url);
  expect(received).toHaveLength(2);
  const verified = new Webhook(secret).verify(received[1]?.body ?? "", received[1]?.headers ?? {});
  expect(verified).toMatchObject({ type: "webhook.test" });
  expect(await listEndpoints(db, userId)).toMatchObject([{ failingSince: null, disabledAt: null }]);
});

test("limits tests per hour", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  const results = [];
  for (let n = 0; n < 22; n++) results.push(await testEndpoint(db, env, userId, endpointId));
  expect(results.filter((result) => result?.ok)).toHaveLength(20);
  expect(results.at(-1)).toMatchObject({ ok: false, retryAfterSeconds: expect.any(Number) });
  expect(await at(url)).toHaveLength(20);
});

test("turns off an endpoint after three days of failures until its owner turns it on", async () => {
  const { userId, url, endpointId } = await withEndpoint("?fail=2");
  const other = await customerWith(0);
  const close = async () =>
    closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await close();
  await deliverQueue(db, env, endpointId);
  await db
    .update(webhookEndpoints)
    .set({ failingSince: Date.now() - MAX_FAILING_MS })
    .where(eq(webhookEndpoints.id, endpointId));
  await close();
  await db.update(webhookDeliveries).set({ nextAttemptAt: 1 }).where(eq(webhookDeliveries.endpointId, endpointId));
  await deliverQueue(db, env, endpointId);
  expect(await listEndpoints(db, userId)).toMatchObject([{ disabledAt: expect.any(Number) }]);
  const events = await db.select().from(securityEvents).where(eq(securityEvents.userId, userId));
  expect(events).toMatchObject([{ kind: "webhook_changed", detail: { url: `${url}?fail=2`, change: "failing" } }]);
  const log = await listDeliveries(db, userId, endpointId, 10);
  expect(log.map(({ delivery }) => delivery.nextAttemptAt)).toEqual([null, null]);
  await close();
  await deliverQueue(db, env, endpointId);
  expect(await at(url)).toHaveLength(2);

  expect(await enableEndpoint(db, await ownerOf(other.userId), endpointId)).toBeNull();
  expect(await enableEndpoint(db, await ownerOf(userId), endpointId)).not.toBeNull();
  await close();
  await deliverQueue(db, env, endpointId);
  expect(await at(url)).toHaveLength(3);
});

test("leaves nothing of the failures on an endpoint that is turned on again, not even for what had failed before", async () => {
  const { userId, endpointId } = await withEndpoint("?fail=9");
  const stored = () => db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
  const asNew = await stored();
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  // Turned off, and on again before what waits was given up.
  const longAgo = Date.now() - MAX_FAILING_MS;
  const off = { failingSince: longAgo, disabledAt: Date.now() };
  await db.update(webhookEndpoints).set(off).where(eq(webhookEndpoints.id, endpointId));
  expect(await enableEndpoint(db, await ownerOf(userId), endpointId)).not.toBeNull();
  expect(await stored()).toEqual(asNew);
  await db.update(webhookDeliveries).set({ nextAttemptAt: 1 }).where(pendingAt(endpointId));
  await deliverQueue(db, env, endpointId);
  const [endpoint] = await stored();
  expect(endpoint?.disabledAt).toBeNull();
  expect(endpoint?.failingSince).toBeGreaterThan(longAgo);
  const [retried] = await listDeliveries(db, userId, endpointId, 10);
  expect(retried?.delivery).toMatchObject({ attempts: 2, nextAttemptAt: expect.any(Number) });
});

test("a test event that failed days ago neither turns an endpoint off nor costs a delivery its retries", async () => {
  const { userId, url, endpointId } = await withEndpoint("?fail=3");
  const failedLongAgo = async () => {
    const failingSince = Date.now() - 2 * MAX_FAILING_MS;
    await db.update(webhookEndpoints).set({ failingSince }).where(eq(webhookEndpoints.id, endpointId));
  };
  await testEndpoint(db, env, userId, endpointId);
  await failedLongAgo();
  await testEndpoint(db, env, userId, endpointId);
  expect(await listEndpoints(db, userId)).toMatchObject([{ disabledAt: null }]);
  await failedLongAgo();
  await closeOrder(db, env, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await deliverQueue(db, env, endpointId);
  const [endpoint] = await listEndpoints(db, userId);
  expect(endpoint?.disabledAt).toBeNull();
  expect(endpoint?.failingSince).toBeGreaterThan(Date.now() - MAX_FAILING_MS);
  await db.update(webhookDeliveries).set({ nextAttemptAt: 1 }).where(pendingAt(endpointId));
  await deliverQueue(db, env, endpointId);
  expect(await at(url)).toHaveLength(4);
  expect(await listEndpoints(db, userId)).toMatchObject([{ failingSince: null, disabledAt: null }]);
});

function pendingAt(endpointId: string) {
  return and(eq(webhookDeliveries.endpointId, endpointId), isNotNull(webhookDeliveries.nextAttemptAt));
}

async function withEndpoint(query = "") {
  const { userId } = await customerWith(10 * MICRO);
  const url = `${inject("webhooks").url}/${crypto.randomUUID()}`;
  const created = await createEndpoint(db, env, await ownerOf(userId), url + query);
  if (!created.ok) throw new Error(created.reason);
  return { userId, url, endpointId: created.id, secret: created.secret };
}

async function placed(userId: string): Promise<Order> {
  const fields = { link: "https://instagram.com/p/1", quantity: "1000" };
  const result = await placeOrder(db, userId, {
    serviceId: await service(),
    fields,
    idempotencyKey: null,
    source: "api",
  });
  if (!result.ok) throw new Error(result.fault.reason);
  return result.order;
}

async function at(url: string): Promise<Received[]> {
  return (await fetch(url)).json();
}
