import { createExecutionContext, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { apiKeys, cancellations, orders, refills } from "#app/db/schema.server.ts";
import { gateOf, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { MAX_IDS_PER_CALL } from "#app/orders/api/api-schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import worker from "#workers/app.ts";

const QUICK = sandboxLink("quick");
const WAIT = { timeout: 90_000, interval: 10 };

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("refills a completed order at the provider, one refill at a time", async () => {
  const { apiKey } = await customerWith(MICRO);
  const providerId = await sandboxProvider();
  const order = await add(apiKey, await service({ refill: true, providerId, providerServiceId: "1" }), QUICK);
  expect(await panel(apiKey, { action: "refill", order })).toEqual({ error: "This order cannot be refilled" });
  await vi.waitUntil(async () => {
    await runFulfillment(providerId);
    return ((await panel(apiKey, { action: "status", order })) as { status: string }).status === "Completed";
  }, WAIT);
  const { refill } = (await panel(apiKey, { action: "refill", order })) as { refill: string };
  expect(refill).toMatch(/^\d+$/);
  // Asked for again soon, it is the same refill: the first response may have been lost.
  expect(await panel(apiKey, { action: "refill", order })).toEqual({ refill });
  expect(await panel(apiKey, { action: "refill", orders: order })).toEqual([
    { order: Number(order), refill: Number(refill) },
  ]);
  await db
    .update(refills)
    .set({ createdAt: Date.now() - 10 * 60_000 })
    .where(eq(refills.id, Number(refill)));
  expect(await panel(apiKey, { action: "refill", orders: `${order},x` })).toEqual([
    { order: Number(order), refill: { error: "This order already has an open refill" } },
    { order: "x", refill: { error: "Incorrect order ID" } },
  ]);
  expect(await panel(apiKey, { action: "refill_status", refill })).toEqual({ status: "Pending" });
  await vi.waitUntil(async () => {
    await runFulfillment(providerId);
    const [now] = (await panel(apiKey, { action: "refill_status", refills: refill })) as { status: unknown }[];
    return now?.status === "Completed";
  }, WAIT);
});

test("returns the ID of each refill when several orders are refilled", async () => {
  const { apiKey } = await customerWith(MICRO);
  const serviceId = await service({ refill: true });
  const placed = [await add(apiKey, serviceId), await add(apiKey, serviceId)];
  await db
    .update(orders)
    .set({ status: "Completed" })
    .where(inArray(orders.id, placed.map(Number)));
  const requested = (await panel(apiKey, { action: "refill", orders: placed.join(",") })) as { refill: number }[];
  const refillIds = requested.map(({ refill }) => refill);
  const rows = await db.select().from(refills).where(inArray(refills.id, refillIds));
  expect(rows.map(({ orderId }) => String(orderId))).toEqual(placed);
  expect(await panel(apiKey, { action: "refill_status", refills: refillIds.join(",") })).toHaveLength(2);
});

test("refuses to refill, cancel or read a refill of another customer's order", async () => {
  const [owner, other] = [await customerWith(MICRO), await customerWith(MICRO)];
  const order = await add(owner.apiKey, await service({ refill: true, cancel: true }));
  await db
    .update(orders)
    .set({ status: "Completed" })
    .where(eq(orders.id, Number(order)));
  const { refill } = (await panel(owner.apiKey, { action: "refill", order })) as { refill: string };
  expect(await panel(other.apiKey, { action: "refill", order })).toEqual({ error: "Incorrect order ID" });
  expect(await panel(other.apiKey, { action: "refill_status", refill })).toEqual({ error: "Refill not found" });
  expect(await panel(other.apiKey, { action: "refill_status", refills: refill })).toEqual([
    { refill: Number(refill), status: { error: "Refill not found" } },
  ]);
  expect(await panel(other.apiKey, { action: "cancel", orders: order })).toEqual([
    { order: Number(order), cancel: { error: "Incorrect order ID" } },
  ]);
  expect(
    await db
      .select()
      .from(refills)
      .where(eq(refills.orderId, Number(order))),
  ).toHaveLength(1);
});

test("cancels and refunds a queued order at once", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const providerId = await sandboxProvider();
  const serviceId = await service({ cancel: true, providerId, providerServiceId: "1" });
  const fields = { link: "https://instagram.com/p/1", quantity: "100" };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const order = String(placed.order.id);
  expect(await panel(apiKey, { action: "cancel", orders: order })).toEqual([{ order: Number(order), cancel: 1 }]);
  expect(await panel(apiKey, { action: "status", order })).toMatchObject({ status: "Canceled", charge: "0.00" });
  expect(await readBalance(db, userId)).toBe(MICRO);
  // Asked for again, it is not refused: the first response may have been lost.
  expect(await panel(apiKey, { action: "cancel", orders: `${order},x` })).toEqual([
    { order: Number(order), cancel: 1 },
    { order: "x", cancel: { error: "Incorrect order ID" } },
  ]);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("cancels the most orders that a call may name within the statements that a request may send", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const serviceId = await service({ cancel: true, providerId: await sandboxProvider(), providerServiceId: "1" });
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) {
    const fields = { link: `https://instagram.com/p/${n}`, quantity: "100" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    ids.push(placed.order.id);
  }
  const statementsFor = async (some: number[]) => {
    const counted = countedDatabase(env.DB);
    const request = new Request("https://growline.example/api/v2", {
      method: "POST",
      body: new URLSearchParams({ key: apiKey, action: "cancel", orders: some.join(",") }),
    });
    const bindings = { ...env, DB: counted.database };
    const response = await worker.fetch(
      request as Parameters<typeof worker.fetch>[0],
      bindings,
      createExecutionContext(),
    );
    expect(await response.json()).toEqual(some.map((order) => ({ order, cancel: 1 })));
    return counted.counts.queries;
  };
  const [one = 0, ...others] = ids;
  const single = await statementsFor([one]);
  const perOrder = ((await statementsFor(others)) - single) / (others.length - 1);
  expect(single + (MAX_IDS_PER_CALL - 1) * perOrder).toBeLessThan(950);
});

test("cancels a submitted order at the provider and refunds the undelivered part", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const providerId = await sandboxProvider();
  const order = await add(apiKey, await service({ cancel: true, providerId, providerServiceId: "1" }));
  await vi.waitUntil(async () => (await stored(order))?.fulfillment === "accepted", WAIT);
  expect(await panel(apiKey, { action: "cancel", orders: order })).toEqual([{ order: Number(order), cancel: 1 }]);
  expect(await panel(apiKey, { action: "cancel", orders: order })).toEqual([{ order: Number(order), cancel: 1 }]);
  await runFulfillment(providerId);
  const now = await stored(order);
  expect(["Canceled", "Partial"]).toContain(now?.status);
  expect(now?.refunded).toBeGreaterThan(0);
  expect(await readBalance(db, userId)).toBe(MICRO - (now?.charge ?? 0) + (now?.refunded ?? 0));
  const [cancellation] = await db
    .select()
    .from(cancellations)
    .where(eq(cancellations.orderId, Number(order)));
  expect(cancellation).toMatchObject({ status: "Accepted", attempts: 1 });
});

test("refuses refills and cancellations that the service does not offer", async () => {
  const { apiKey } = await customerWith(MICRO);
  const order = await add(apiKey, await service());
  expect(await panel(apiKey, { action: "cancel", orders: order })).toEqual([
    { order: Number(order), cancel: { error: "This order cannot be canceled" } },
  ]);
  const [placed] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, Number(order)));
  if (placed) await closeOrder(db, env, placed, { status: "Completed", remains: 0, startCount: null });
  expect(await panel(apiKey, { action: "refill", order })).toEqual({ error: "This order cannot be refilled" });
});

test("treats a test key like a live one but never charges or submits", async () => {
  const { userId, apiKey } = await customerWith(0);
  const { key } = await newKey(userId, { name: "try", scopes: ["read", "order"], isTest: true });
  expect(key).toMatch(/^gl_test_/);
  const serviceId = await service({ providerId: await sandboxProvider(), providerServiceId: "1" });
  const order = await add(key, serviceId);
  expect(await stored(order)).toMatchObject({ isTest: true, fulfillment: "manual", providerId: null });
  expect(await panel(key, { action: "status", order })).toMatchObject({ status: "Pending", charge: "0.09" });
  expect(await panel(apiKey, { action: "status", order })).toEqual({ error: "Incorrect order ID" });
  await db
    .update(orders)
    .set({ createdAt: 1 })
    .where(eq(orders.id, Number(order)));
  expect(await panel(key, { action: "status", order })).toMatchObject({ status: "Completed", remains: "0" });
  expect(await readBalance(db, userId)).toBe(0);
});

test("shows a test key the refills of test orders only, and a live key those of live ones", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const { key } = await newKey(userId, { name: "try", scopes: ["read", "order"], isTest: true });
  const serviceId = await service({ refill: true });
  const live = await add(apiKey, serviceId);
  const [placed] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, Number(live)));
  if (placed) await closeOrder(db, env, placed, { status: "Completed", remains: 0, startCount: null });
  const ofLive = (await panel(apiKey, { action: "refill", order: live })) as { refill: string };
  const ofTest = (await panel(key, { action: "refill", order: await add(key, serviceId) })) as { refill: string };
  const statuses = (by: string) => panel(by, { action: "refill_status", refills: `${ofLive.refill},${ofTest.refill}` });
  const unknown = { error: "Refill not found" };
  expect(await panel(key, { action: "refill_status", refill: ofLive.refill })).toEqual(unknown);
  expect(await statuses(key)).toMatchObject([{ status: unknown }, { status: "Pending" }]);
  expect(await panel(apiKey, { action: "refill_status", refill: ofTest.refill })).toEqual(unknown);
  expect(await statuses(apiKey)).toMatchObject([{ status: "Pending" }, { status: unknown }]);
});

test("accepts a replaced key and its successor during the overlap, then only the new one", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const [old] = await db.select().from(apiKeys).where(eq(apiKeys.userId, userId));
  const other = await customerWith(0);
  expect(await rotateApiKey(db, env, await ownerOf(other.userId), old?.id ?? "")).toEqual({
    ok: false,
    reason: "not_found",
  });
  const next = await rotateApiKey(db, env, await ownerOf(userId), old?.id ?? "");
  if (!next.ok) throw new Error(next.reason);
  expect(await panel(apiKey, { action: "balance" })).toHaveProperty("balance");
  expect(await panel(next.key, { action: "balance" })).toHaveProperty("balance");
  expect(await rotateApiKey(db, env, await ownerOf(userId), old?.id ?? "")).toEqual({ ok: false, reason: "not_found" });
  await db
    .update(apiKeys)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(apiKeys.id, old?.id ?? ""));
  // The gate caches the holder for seconds, and the key expires a day from now.
  await gateOf(env, await digest(apiKey)).forget();
  expect(await panel(apiKey, { action: "balance" })).toEqual({ error: "Invalid API key" });
  expect(await panel(next.key, { action: "balance" })).toHaveProperty("balance");
});

test("sends the rate limit with every response, and 429 with Retry-After past it", async () => {
  const { apiKey } = await customerWith(MICRO);
  const send = () => SELF.fetch("https://growline.example/api/v2", form(apiKey, { action: "balance" }));
  const first = await send();
  expect(first.headers.get("RateLimit-Policy")).toBe('"requests";q=1200;w=60');
  expect(first.headers.get("RateLimit")).toMatch(/^"requests";r=1199;t=\d+$/);
  const gate = gateOf(env, await digest(apiKey));
  await runInDurableObject(gate, (object) => {
    for (let n = 0; n < 1200; n++) object.take(1200);
  });
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(Object.keys(await refused.json<object>())).toEqual(["error"]);
});

test("charges a subscription for its maximum and checks every field", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const serviceId = String(await service({ type: "Subscriptions", min: 10, max: 1000, rate: MICRO }));
  const good = {
    action: "add",
    service: serviceId,
    username: "growline",
    min: "100",
    max: "200",
    posts: "5",
    delay: "30",
  };
  for (const [change, error] of [
    [{ min: "300" }, "Incorrect request"],
    [{ min: "5" }, "Quantity less than minimal 10"],
    [{ max: "2000" }, "Quantity more than maximum 1000"],
    [{ delay: "7" }, "Incorrect request"],
    [{ posts: "1001" }, "Incorrect request"],
    [{ expiry: "31/02/2027" }, "Incorrect request"],
    [{ username: "" }, "Incorrect request"],
  ] as const) {
    expect(await panel(apiKey, { ...good, ...change }), JSON.stringify(change)).toEqual({ error });
  }
  expect(await readBalance(db, userId)).toBe(10 * MICRO);
  expect(await panel(apiKey, { ...good, expiry: "28/02/2027" })).toHaveProperty("order");
  expect(await readBalance(db, userId)).toBe(9 * MICRO);
});

async function add(apiKey: string, serviceId: number, link = "https://instagram.com/p/1"): Promise<string> {
  const fields = { action: "add", service: String(serviceId), link, quantity: "100" };
  return String(((await panel(apiKey, fields)) as { order: number }).order);
}

async function stored(order: string) {
  const [row] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, Number(order)));
  return row;
}

async function panel(key: string, fields: Record<string, string>): Promise<unknown> {
  return (await SELF.fetch("https://growline.example/api/v2", form(key, fields))).json();
}

function form(key: string, fields: Record<string, string>): RequestInit {
  return { method: "POST", body: new URLSearchParams({ key, ...fields }) };
}

async function digest(key: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))).toString("hex");
}
