import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, inject, test } from "vitest";
import { type Order, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/orders/rules/money.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import type { Received } from "#tests/stand-ins/webhook-receiver.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { MAX_FAILING_MS, queueLowBalanceWebhooks, sendWebhooks, testEndpoint } from "./webhook-deliveries.server.ts";
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listDeliveries,
  listEndpoints,
  resend,
  rotateSecret,
  setLowBalance,
} from "./webhook-endpoints.server.ts";
import { nextAttempt } from "./webhook-retry.ts";

test("a completed order is told once to each endpoint of its owner, signed by Standard Webhooks", async () => {
  const { userId, url, secret } = await withEndpoint();
  const stranger = await withEndpoint();
  const order = await placed(userId);
  await closeOrder(db, order, { status: "Completed", remains: 0, startCount: 5 });
  await Promise.all([sendWebhooks(db, env), sendWebhooks(db, env)]);
  const [received, ...more] = await at(url);
  expect(more).toEqual([]);
  expect(new Webhook(secret).verify(received?.body ?? "", received?.headers ?? {})).toMatchObject({
    type: "order.completed",
    data: { order: order.id, status: "Completed", charge: "0.90", remains: 0, currency: "USD" },
  });
  expect(await at(stranger.url)).toEqual([]);
});

test("a partial and a canceled order are told with what was kept of the charge", async () => {
  const { userId, url } = await withEndpoint();
  const [first, second] = [await placed(userId), await placed(userId)];
  await closeOrder(db, first, { status: "Partial", remains: 500, startCount: null });
  await closeOrder(db, second, { status: "Canceled", remains: 1000, startCount: null });
  await closeOrder(db, second, { status: "Completed", remains: 0, startCount: null });
  await sendWebhooks(db, env);
  const told = (await at(url)).map(({ body }) => JSON.parse(body)).sort((a, b) => a.data.order - b.data.order);
  expect(told.map(({ type, data }) => [type, data.charge])).toEqual([
    ["order.partial", "0.45"],
    ["order.canceled", "0.00"],
  ]);
});

test("a delivery that fails is tried again later with the same id, and its log says why", async () => {
  const { userId, url, endpointId } = await withEndpoint("?fail=1");
  await closeOrder(db, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await sendWebhooks(db, env);
  await sendWebhooks(db, env);
  const [failed] = await listDeliveries(db, userId, endpointId, 10);
  expect(failed?.delivery).toMatchObject({ attempts: 1, lastStatus: 500, deliveredAt: null });
  expect(failed?.delivery.nextAttemptAt).toBeGreaterThan(Date.now());
  await db.update(webhookDeliveries).set({ nextAttemptAt: 1 }).where(eq(webhookDeliveries.endpointId, endpointId));
  await sendWebhooks(db, env);
  const received = await at(url);
  expect(received).toHaveLength(2);
  expect(received[0]?.headers["webhook-id"]).toBe(received[1]?.headers["webhook-id"]);
  const [done] = await listDeliveries(db, userId, endpointId, 10);
  expect(done?.delivery).toMatchObject({ attempts: 2, lastStatus: 204, lastError: null, nextAttemptAt: null });
});

test("the tries end after three days", () => {
  expect(nextAttempt(1, 1000, 0)).toBe(6000);
  expect(nextAttempt(1, 1000, 1)).toBe(6500);
  expect(nextAttempt(9, 0, 0)).toBe(24 * 3_600_000);
  expect(nextAttempt(10, 0, 0)).toBeNull();
});

test("during a rotation both secrets verify, and afterwards only the new one", async () => {
  const { userId, url, secret, endpointId } = await withEndpoint();
  const next = (await rotateSecret(db, env, userId, endpointId)) ?? "";
  await closeOrder(db, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await sendWebhooks(db, env);
  const [during] = await at(url);
  for (const each of [secret, next]) new Webhook(each).verify(during?.body ?? "", during?.headers ?? {});
  await db.update(webhookEndpoints).set({ previousUntil: 1 }).where(eq(webhookEndpoints.id, endpointId));
  await closeOrder(db, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await sendWebhooks(db, env);
  const after = (await at(url))[1];
  new Webhook(next).verify(after?.body ?? "", after?.headers ?? {});
  expect(() => new Webhook(secret).verify(after?.body ?? "", after?.headers ?? {})).toThrow();
});

test("a low balance is told once, and again after it was above", async () => {
  const { userId, url } = await withEndpoint();
  await setLowBalance(db, userId, 9 * MICRO + MICRO / 2);
  await placed(userId);
  const turn = async () => {
    await queueLowBalanceWebhooks(db);
    await sendWebhooks(db, env);
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

test("a delivery can be sent again by its owner and by nobody else", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  const other = await customerWith(0);
  await closeOrder(db, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await sendWebhooks(db, env);
  const [row] = await listDeliveries(db, userId, endpointId, 10);
  const id = row?.delivery.id ?? "";
  expect(await listDeliveries(db, other.userId, endpointId, 10)).toEqual([]);
  expect(await resend(db, other.userId, id)).toBe(false);
  expect(await rotateSecret(db, env, other.userId, endpointId)).toBeNull();
  expect(await deleteEndpoint(db, other.userId, endpointId)).toBe(false);
  expect(await resend(db, userId, id)).toBe(true);
  await sendWebhooks(db, env);
  expect(await at(url)).toHaveLength(2);
});

test("no secret is stored in clear, and a private address is not taken in production", async () => {
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
    expect(await createEndpoint(db, production, userId, url), url).toEqual({ ok: false, reason: "bad_url" });
  }
});

test("an account has at most five endpoints, however many are made at once", async () => {
  const { userId } = await customerWith(0);
  const made = await Promise.all(
    Array.from({ length: 8 }, () => createEndpoint(db, env, userId, "https://shop.example/hook")),
  );
  expect(made.filter(({ ok }) => ok)).toHaveLength(5);
});

test("a test call is made at once, signed, tried once, and only for the owner", async () => {
  const { userId, url, secret, endpointId } = await withEndpoint("?fail=1");
  const other = await customerWith(0);
  expect(await testEndpoint(db, env, other.userId, endpointId)).toBeNull();
  expect(await testEndpoint(db, env, userId, endpointId)).toEqual({ ok: true, status: 500, error: "HTTP 500" });
  expect(await listEndpoints(db, userId)).toMatchObject([{ failingSince: expect.any(Number), disabledAt: null }]);
  await sendWebhooks(db, env);
  expect(await testEndpoint(db, env, userId, endpointId)).toEqual({ ok: true, status: 204, error: null });
  const received = await at(url);
  expect(received).toHaveLength(2);
  const verified = new Webhook(secret).verify(received[1]?.body ?? "", received[1]?.headers ?? {});
  expect(verified).toMatchObject({ type: "webhook.test" });
  expect(await listEndpoints(db, userId)).toMatchObject([{ failingSince: null, disabledAt: null }]);
});

test("tests are limited by the hour", async () => {
  const { userId, url, endpointId } = await withEndpoint();
  const results = [];
  for (let n = 0; n < 22; n++) results.push(await testEndpoint(db, env, userId, endpointId));
  expect(results.filter((result) => result?.ok)).toHaveLength(20);
  expect(results.at(-1)).toMatchObject({ ok: false, retryAfterSeconds: expect.any(Number) });
  expect(await at(url)).toHaveLength(20);
});

test("an endpoint that has failed for three days is off, and told again when its owner turns it on", async () => {
  const { userId, url, endpointId } = await withEndpoint("?fail=2");
  const other = await customerWith(0);
  const close = async () => closeOrder(db, await placed(userId), { status: "Completed", remains: 0, startCount: null });
  await close();
  await sendWebhooks(db, env);
  await db
    .update(webhookEndpoints)
    .set({ failingSince: Date.now() - MAX_FAILING_MS })
    .where(eq(webhookEndpoints.id, endpointId));
  await close();
  await sendWebhooks(db, env);
  expect(await listEndpoints(db, userId)).toMatchObject([{ disabledAt: expect.any(Number) }]);
  const log = await listDeliveries(db, userId, endpointId, 10);
  expect(log.map(({ delivery }) => delivery.nextAttemptAt)).toEqual([null, null]);
  await close();
  await sendWebhooks(db, env);
  expect(await at(url)).toHaveLength(2);

  expect(await enableEndpoint(db, other.userId, endpointId)).toBe(false);
  expect(await enableEndpoint(db, userId, endpointId)).toBe(true);
  await close();
  await sendWebhooks(db, env);
  expect(await at(url)).toHaveLength(3);
});

async function withEndpoint(query = "") {
  const { userId } = await customerWith(10 * MICRO);
  const url = `${inject("webhooks").url}/${crypto.randomUUID()}`;
  const made = await createEndpoint(db, env, userId, url + query);
  if (!made.ok) throw new Error(made.reason);
  return { userId, url, endpointId: made.id, secret: made.secret };
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
