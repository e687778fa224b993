import { env } from "cloudflare:workers";
import { eq, sql, sum } from "drizzle-orm";
import { afterAll, expect, inject, test, vi } from "vitest";
import { ledger, type Order, orders, providerLog, providers, webhookDeliveries } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readerOf } from "#app/orders/providers/dialect.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { readAdd } from "#app/orders/providers/reading/add-answer.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger, service } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { runFulfillment, submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { closeOrder } from "./close-order.server.ts";
import { newSending, Submission, submitQueued } from "./submission.server.ts";
import { holdLostSubmissions } from "./submission-claims.server.ts";

const CHARGE = 900_000;
const WAIT = { timeout: 90_000, interval: 10 };
let services = 0;

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("submits an order and completes it", async () => {
  const { order, userId } = await placed(sandboxLink("quick"));
  await submitOrder(order.id);
  expect(await read(order)).toMatchObject({ fulfillment: "accepted", status: "Pending" });
  const done = await vi.waitUntil(async () => {
    await runFulfillment(order.providerId);
    const now = await read(order);
    return now.status === "Completed" && now;
  }, WAIT);
  expect(done).toMatchObject({ remains: 0, refunded: 0 });
  expect(done.startCount).toBeGreaterThan(0);
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
});

test("submits an order once when several runs race", async () => {
  const { order } = await placed("https://instagram.com/p/raced");
  const calls = vi.spyOn(globalThis, "fetch");
  await Promise.all(Array.from({ length: 10 }, () => submitOrder(order.id)));
  expect(submissionsOf(order, calls.mock.calls)).toBe(1);
  calls.mockRestore();
});

test("cancels and refunds an order that its provider rejects", async () => {
  const { order, userId } = await placed(sandboxLink("refuse"));
  await submitOrder(order.id);
  expect(await read(order)).toMatchObject({ status: "Canceled", fulfillment: "rejected", refunded: CHARGE });
  expect(await readBalance(db, userId)).toBe(MICRO);
});

for (const fault of ["500", "html", "drop"] as const) {
  test(`holds an order after "${fault}" without resending or refunding it`, async () => {
    const { order, userId } = await placed(sandboxLink(fault));
    await submitOrder(order.id);
    await runFulfillment(order.providerId);
    await submitOrder(order.id);
    expect(await read(order)).toMatchObject({ status: "Pending", fulfillment: "held", refunded: 0, attempts: 1 });
    expect(await responsesFor(order, "add")).toHaveLength(1);
    expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
  });
}

test("submits queued orders in one run and stops at a provider that does not respond", async () => {
  const providerId = await sandboxProvider();
  // Three times as many as the calls that it takes at once.
  const waiting = await placeOrders(
    Array.from({ length: 15 }, (_, n) => sandboxLink("still", n)),
    providerId,
  );
  await runFulfillment(providerId);
  for (const id of waiting.orderIds) {
    expect(await readOrder(id)).toMatchObject({ fulfillment: "accepted", attempts: 1 });
  }
  const failing = [];
  for (let n = 0; n < 12; n++) failing.push((await placed(sandboxLink("500", n), providerId)).order);
  await runFulfillment(providerId);
  const states = await Promise.all(failing.map(async (order) => (await read(order))?.fulfillment));
  expect(states.filter((state) => state === "held").length).toBeLessThanOrEqual(5);
  expect(states.filter((state) => state === "queued").length).toBeGreaterThanOrEqual(7);
});

test("accepts an order after a late response and does not resend it meanwhile", async () => {
  const { order } = await placed(sandboxLink("still"));
  const { calls, release } = heldResponses();
  const submitted = Promise.all([submitOrder(order.id), runFulfillment(order.providerId)]);
  await vi.waitUntil(async () => calls.mock.calls.length > 0, WAIT);
  await submitOrder(order.id);
  release();
  await submitted;
  expect(await read(order)).toMatchObject({
    fulfillment: "accepted",
    providerOrderId: expect.any(String),
    attempts: 1,
  });
  expect(submissionsOf(order, calls.mock.calls)).toBe(1);
  calls.mockRestore();
});

test("accepts an order whose response comes after it was held as cut off", async () => {
  const { order } = await placed(sandboxLink("still"));
  const { calls, release } = heldResponses();
  const submitted = submitOrder(order.id);
  await vi.waitUntil(async () => calls.mock.calls.length > 0, WAIT);
  await db.update(orders).set({ leaseUntil: 1 }).where(eq(orders.id, order.id));
  await holdLostSubmissions(db);
  expect(await read(order)).toMatchObject({ fulfillment: "held" });
  release();
  await submitted;
  expect(await read(order)).toMatchObject({ fulfillment: "accepted", providerOrderId: expect.any(String) });
});

test("treats a timeout as no response", async () => {
  const sandbox = inject("sandbox");
  const params = { action: "add", service: "1", link: sandboxLink("delay"), quantity: "100" };
  const response = await postToProvider({ apiUrl: sandbox.url, key: sandbox.key }, params, AbortSignal.timeout(100));
  expect(response).toMatchObject({ kind: "no_response", httpStatus: null });
  const reader = readerOf({ convention: "panel-api-v2" });
  expect(readAdd(response, reader, { hadUnknownAttempt: false, inputs: [] })).toMatchObject({ kind: "unknown" });
});

test("holds an order when the lease of its cut-off submission ends", async () => {
  const { order } = await placed("https://instagram.com/p/1");
  await db.update(orders).set({ fulfillment: "submitting", leaseUntil: 1 }).where(eq(orders.id, order.id));
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ fulfillment: "held", status: "Pending" });
  expect(await responsesFor(order, "add")).toHaveLength(0);
});

test("refunds the undelivered part of a partial order once", async () => {
  const { order, userId } = await placed(sandboxLink("partial"));
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ status: "Partial", remains: 500, refunded: CHARGE / 2 });
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE / 2);
});

test("fully refunds an order that its provider calls Cancelled", async () => {
  const { order, userId } = await placed(sandboxLink("cancelled"));
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ status: "Canceled", refunded: CHARGE });
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("holds an order whose remains are not a number", async () => {
  const { order, userId } = await placed(sandboxLink("wordy"));
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ fulfillment: "held", status: "Pending", refunded: 0 });
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
});

test("keeps the status of an order with an unknown spelling and logs it", async () => {
  const { order } = await placed(sandboxLink("strange"));
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ status: "Pending", fulfillment: "accepted" });
  expect((await responsesFor(order, "status"))[0]?.response).toContain("Awaiting moon");
});

test("never leaves a final status and never refunds twice", async () => {
  const { order, userId } = await placed("https://instagram.com/p/1");
  const close = () => closeOrder(db, env, order, { status: "Canceled", remains: 1000, startCount: null });
  const closed = await Promise.all(Array.from({ length: 8 }, close));
  expect(closed.filter(Boolean)).toHaveLength(1);
  expect(await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: null })).toBe(false);
  expect(await read(order)).toMatchObject({ status: "Canceled", refunded: CHARGE });
  expect(await readBalance(db, userId)).toBe(MICRO);
  const [total] = await db
    .select({ sum: sum(ledger.amount) })
    .from(ledger)
    .where(eq(ledger.userId, userId));
  expect(Number(total?.sum)).toBe(MICRO);
});

test("refuses to cancel a completed order", async () => {
  const { order, userId } = await placed("https://instagram.com/p/1");
  expect(await closeOrder(db, env, order, { status: "Completed", remains: 0, startCount: null })).toBe(true);
  expect(await closeOrder(db, env, order, { status: "Canceled", remains: 1000, startCount: null })).toBe(false);
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
});

test("refunds what is undelivered of all runs, and writes no entry where nothing is refunded", async () => {
  const { userId } = await customerWith(3 * MICRO);
  const serviceId = await service({ dripfeed: true });
  const drip = async (name: string) => {
    const fields = { link: sandboxLink(null, name), quantity: "500", runs: "3", interval: "60" };
    const result = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!result.ok) throw new Error(result.fault.reason);
    return result.order;
  };
  const [partial, completed] = [await drip("partial"), await drip("completed")];
  await closeOrder(db, env, partial, { status: "Partial", remains: 1000, startCount: null });
  expect(await read(partial)).toMatchObject({ refunded: CHARGE });
  await closeOrder(db, env, completed, { status: "Completed", remains: 0, startCount: 7 });
  expect(await read(completed)).toMatchObject({ refunded: 0, startCount: 7 });
  expect(await db.$count(ledger, eq(ledger.orderId, completed.id))).toBe(1);
});

test("writes all that changes when an order is closed, and wakes the dispatchers of its webhooks", async () => {
  const { order, userId } = await placed(sandboxLink(null));
  const endpoint = await createEndpoint(db, env, await ownerOf(userId), "https://shop.example/hook");
  if (!endpoint.ok) throw new Error(endpoint.reason);
  const open = { fulfillment: "submitting", leaseUntil: 5, startCount: 7, unreadableSince: 6 } as const;
  await db.update(orders).set(open).where(eq(orders.id, order.id));
  const before = await read(order);
  const now = Date.now() + 1000;
  vi.spyOn(Date, "now").mockReturnValue(now);
  const woken: string[] = [];
  const getByName = () => ({ wake: async (id: string) => void woken.push(id) });
  const waking = { ...env, WEBHOOK_DISPATCHER: { getByName } } as unknown as Env;
  const note = db.insert(providerLog).values({
    providerId: order.providerId ?? 0,
    orderId: order.id,
    action: "refill",
    response: "",
    createdAt: now,
  });
  const partial = { status: "Partial", remains: 400, startCount: null } as const;
  expect(await closeOrder(db, waking, before, { ...partial, onlyIf: sql`${orders.id} = 0` }, [note])).toBe(false);
  expect(await closeOrder(db, waking, before, { ...partial, onlyWhile: "queued" }, [note])).toBe(false);
  expect(await read(order)).toEqual(before);
  const to = { ...partial, fulfillment: "rejected", onlyWhile: "submitting", onlyIf: eq(orders.id, order.id) } as const;
  expect(await closeOrder(db, waking, before, to, [note])).toBe(true);
  const refunded = (CHARGE / 10) * 4;
  expect(await read(order)).toEqual({
    ...before,
    status: "Partial",
    remains: 400,
    refunded,
    fulfillment: "rejected",
    // The provider refused it, so it takes nothing.
    cost: 0,
    costIsReported: true,
    leaseUntil: 0,
    unreadableSince: 0,
    updatedAt: now,
    history: expect.stringMatching(/P\d+$/),
  });
  expect(await responsesFor(order, "refill")).toHaveLength(1);
  expect(woken).toEqual([endpoint.id]);
  const [delivery] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.endpointId, endpoint.id));
  expect(delivery).toMatchObject({ event: "order.partial", body: expect.stringContaining('"charge":"0.54"') });
  const [entry] = await listLedger(userId, 1);
  const balanceAfter = MICRO - CHARGE + refunded;
  expect(entry).toMatchObject({ orderId: order.id, kind: "refund", amount: refunded, balanceAfter, createdAt: now });
});

test("keeps the state and the lease of an order that is closed without a new state, and takes its start count", async () => {
  const { order, userId } = await placed(sandboxLink(null));
  await db.update(orders).set({ fulfillment: "held", leaseUntil: 5, startCount: 7 }).where(eq(orders.id, order.id));
  const to = { status: "Canceled", remains: 1000, startCount: 8 } as const;
  const failing = db
    .insert(ledger)
    .values({ userId: "nobody", kind: "topup", amount: 1, balanceAfter: 1, createdAt: 1 });
  const broken = db.update(orders).set({ quantity: 0 }).where(eq(orders.id, order.id));
  await expect(closeOrder(db, env, order, to, [failing, broken])).rejects.toThrow();
  expect(await read(order)).toMatchObject({ status: "Pending", refunded: 0 });
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
  expect(await closeOrder(db, env, order, to)).toBe(true);
  expect(await read(order)).toMatchObject({ fulfillment: "held", leaseUntil: 5, startCount: 8 });
});

test("refunds what an earlier refund left", async () => {
  const { order, userId } = await placed(sandboxLink(null));
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "" });
  const to = { status: "Canceled", remains: 1000, startCount: null } as const;
  await closeOrder(db, env, { ...order, refunded: CHARGE - 100 }, to);
  expect((await listLedger(userId, 1))[0]).toMatchObject({ kind: "refund", amount: 100 });
  expect(await read(order)).toMatchObject({ refunded: 100 });
});

const FIELDS: [string, Partial<Order>, boolean, Record<string, string>][] = [
  ["of one run", {}, false, {}],
  ["of several runs", { runs: 3, intervalMinutes: 60 }, false, { runs: "3", interval: "60" }],
  ["with fields of its type", { providerFields: { comments: "a", min: 5 } }, false, { comments: "a", min: "5" }],
  ["under a key", {}, true, {}],
];

for (const [what, change, honorsKeys, more] of FIELDS) {
  test(`sends an order ${what} with all of its fields`, async () => {
    const { order } = await placed(sandboxLink(null));
    const { providerServiceId, createdAt, providerId } = order;
    await db
      .update(orders)
      .set({ updatedAt: 1, ...change })
      .where(eq(orders.id, order.id));
    await db
      .update(providers)
      .set({ honorsIdempotencyKeys: honorsKeys })
      .where(eq(providers.id, providerId ?? 0));
    const calls = providerReplies(() => Response.json({ order: crypto.randomUUID() }));
    await submitOrder(order.id);
    const key = honorsKeys && { request_id: `growline-${order.id}-${createdAt}` };
    const fields = { action: "add", service: providerServiceId, link: order.link, quantity: "1000" };
    expect(calls()).toEqual([{ ...fields, ...more, ...key }]);
  });
}

test("counts the calls that fail, and makes as many at once as the provider takes", async () => {
  const providerId = await sandboxProvider();
  for (let n = 0; n < 7; n++) await placed(sandboxLink(null, n), providerId);
  await db.update(providers).set({ concurrentCalls: 3 }).where(eq(providers.id, providerId));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const calls = providerReplies(async () => {
    most = Math.max(most, ++running);
    if (running === 3) setTimeout(release, 50);
    await released;
    running--;
    return new Response("", { status: 502 });
  });
  setTimeout(release, 10_000);
  const provider = await readProvider(providerId);
  const sending = newSending();
  await submitQueued(linkTo(provider), sending);
  expect(most).toBe(3);
  // The orders behind them wait for the back-off.
  expect(calls()).toHaveLength(3);
  expect(sending.unknown).toBe(3);
  expect(await readProvider(providerId)).toMatchObject({ failures: 3 });
});

test("sends no more once its time is over, nor after its end, and what comes until a new time", async () => {
  const providerId = await sandboxProvider();
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  const calls = providerReplies(() => Response.json({ order: crypto.randomUUID() }));
  const provider = await readProvider(providerId);
  const submission = new Submission(linkTo(provider), newSending(), now + 5);
  await submission.idle();
  const send = async (more: () => void) => {
    const { order } = await placed(sandboxLink(null, crypto.randomUUID()), providerId);
    more();
    await submission.idle();
    return (await read(order)).fulfillment;
  };
  clock.mockReturnValue(now + 4);
  expect(await send(() => submission.more())).toBe("accepted");
  clock.mockReturnValue(now + 5);
  expect(await send(() => submission.more())).toBe("queued");
  expect(await send(() => submission.more(now + 6))).toBe("accepted");
  expect(calls()).toHaveLength(3);
  await submission.end();
  expect(await send(() => submission.more(now + 60_000))).toBe("queued");
  expect(calls()).toHaveLength(3);
});

/** Keeps the responses to calls to providers until they are released. */
function heldResponses() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const call = globalThis.fetch;
  const calls = vi.spyOn(globalThis, "fetch").mockImplementation(async (...args) => {
    const response = await call(...args);
    await released;
    return response;
  });
  return { calls, release };
}

async function placed(link: string, providerId?: number): Promise<{ order: Order; userId: string }> {
  const { userId } = await customerWith(MICRO);
  const at = providerId ?? (await sandboxProvider());
  const serviceId = await service({ providerId: at, providerServiceId: String(++services) });
  const result = await placeOrder(db, userId, {
    serviceId,
    fields: { link, quantity: "1000" },
    idempotencyKey: null,
    source: "api",
  });
  if (!result.ok) throw new Error(result.fault.reason);
  return { order: result.order, userId };
}

async function read(order: Order): Promise<Order> {
  const [now] = await db.select().from(orders).where(eq(orders.id, order.id));
  if (!now) throw new Error("order not found");
  return now;
}

/** Returns how many of the calls submitted the order to its provider. */
function submissionsOf(order: Order, calls: Parameters<typeof fetch>[]): number {
  const bodies = calls.map(([, init]) => new URLSearchParams(String(init?.body)));
  return bodies.filter((body) => body.get("action") === "add" && body.get("link") === order.link).length;
}

async function responsesFor(order: Order, action: string) {
  const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, order.id));
  return rows.filter((row) => row.action === action);
}
