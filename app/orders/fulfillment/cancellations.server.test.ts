import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { cancellations, orders, providerLog, services } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { FINAL_STATUSES } from "#app/orders/rules/order-status.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt, linkTo } from "#tests/workerd/provider-links.ts";
import { losingUpdate, refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import {
  requestCancellation,
  requestCancellations,
  resolveCancellations,
  sendCancellations,
} from "./cancellations.server.ts";
import { closeOrder } from "./close-order.server.ts";
import { providersWithWork } from "./wake-dispatchers.server.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("leaves nothing to do for the provider of an order that was canceled before it was sent", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", "unsent")]);
  const [orderId = 0] = orderIds;
  expect(await requestCancellation(db, env, { userId, isTest: false }, orderId)).toEqual({ ok: true });
  expect(await readOrder(orderId)).toMatchObject({ status: "Canceled" });
  expect(await readCancellation(orderId)).toMatchObject({ status: "Accepted", fulfillment: "accepted" });
  expect(await providersWithWork(db)).not.toContain(providerId);
});

test("takes a cancellation out of the queue when its order ends, also while its call runs", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", "ends")]);
  const [orderId = 0] = orderIds;
  await submitOrder(orderId);
  await requestCancellation(db, env, { userId, isTest: false }, orderId);
  vi.spyOn(globalThis, "fetch").mockImplementationOnce(async () => {
    const end = { status: "Completed", remains: 0, startCount: null } as const;
    expect(await closeOrder(db, env, await readOrder(orderId), end)).toBe(true);
    await resolveCancellations(db);
    throw new Error("cut off");
  });
  await sendCancellations(await linkAt(providerId));
  expect(await readCancellation(orderId)).toMatchObject({ status: "Rejected", fulfillment: "rejected" });
  expect(await providersWithWork(db)).not.toContain(providerId);
});

test("makes no second call after one that hangs, for which the next round would wait", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  for (const id of orderIds) {
    await submitOrder(id);
    await requestCancellation(db, env, { userId, isTest: false }, id);
  }
  const calls = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("timed out"));
  for (let round = 1; round <= 2; round++) {
    calls.mockClear();
    await sendCancellations(await linkAt(providerId));
    expect(calls).toHaveBeenCalledTimes(1);
  }
  for (const id of orderIds) expect(await readCancellation(id)).toMatchObject({ fulfillment: "queued", attempts: 1 });
});

test("cancels only the named order, and only for its owner", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", "kept"), sandboxLink("still", "canceled")]);
  const [kept = 0, canceled = 0] = orderIds;
  const other = await placeOrders([sandboxLink("still", "other")]);
  const notFound = { ok: false, reason: "order_not_found" };
  const refused = [
    [{ userId: other.userId, isTest: false }, canceled],
    [{ userId, isTest: true }, canceled],
    [{ userId, isTest: false }, 2 ** 31 - 1],
  ] as const;
  for (const [who, id] of refused) expect(await requestCancellation(db, env, who, id)).toEqual(notFound);
  expect(await readCancellation(canceled)).toBeUndefined();
  await cancelAll(userId, [canceled]);
  expect(await readOrder(canceled)).toMatchObject({ status: "Canceled" });
  expect(await readOrder(kept)).toMatchObject({ status: "Pending" });
  expect(await readCancellation(kept)).toBeUndefined();
});

test("refuses to cancel an order that ended, or whose service doesn't allow it", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", "ended"), sandboxLink("still", "fixed")]);
  const [ended = 0, fixed = 0] = orderIds;
  const end = { status: "Completed", remains: 0, startCount: null } as const;
  await closeOrder(db, env, await readOrder(ended), end);
  const who = { userId, isTest: false };
  expect(await requestCancellation(db, env, who, ended)).toEqual({ ok: false, reason: "not_cancelable" });
  await db
    .update(services)
    .set({ cancel: false })
    .where(eq(services.id, (await readOrder(fixed)).serviceId));
  expect(await requestCancellation(db, env, who, fixed)).toEqual({ ok: false, reason: "not_cancelable" });
  for (const id of orderIds) expect(await readCancellation(id)).toBeUndefined();
});

test("does not refuse what it canceled before, when the request comes again after a lost answer", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  const who = { userId, isTest: false };
  let batches = 0;
  const losing = {
    prepare: (query: string) => env.DB.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await env.DB.batch(statements);
      // The first stores both requests, the second cancels an order.
      if (++batches === 2) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    },
  } as unknown as D1Database;
  await expect(requestCancellations(connect(losing), env, who, orderIds)).rejects.toSatisfy(isUnavailable);
  const statuses = async () => Promise.all(orderIds.map(async (id) => (await readOrder(id)).status));
  expect((await statuses()).sort()).toEqual(["Canceled", "Pending"]);
  for (let times = 0; times < 2; times++) {
    expect(await requestCancellations(db, env, who, orderIds)).toEqual(new Map());
    expect(await statuses()).toEqual(["Canceled", "Canceled"]);
  }
  for (const id of orderIds) expect(await readCancellation(id)).toMatchObject({ status: "Accepted" });
  expect(await readBalance(db, userId)).toBe(orderIds.length * MICRO);
  const stranger = await customerWith(0);
  for (const id of orderIds) {
    expect(await requestCancellation(db, env, { ...who, userId: stranger.userId }, id)).toMatchObject({ ok: false });
  }
});

test("does not refuse a cancellation that is pending, although its service doesn't allow it anymore", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", "pending")]);
  const [id = 0] = orderIds;
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  await db
    .update(services)
    .set({ cancel: false })
    .where(eq(services.id, (await readOrder(id)).serviceId));
  await cancelAll(userId, orderIds);
  expect(await readCancellation(id)).toMatchObject({ status: "Pending", fulfillment: "queued" });
});

test("refuses again to cancel an ended order whose cancellation was rejected", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", "rejected")]);
  const [id = 0] = orderIds;
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  await closeOrder(db, env, await readOrder(id), { status: "Completed", remains: 0, startCount: null });
  await resolveCancellations(db);
  const who = { userId, isTest: false };
  expect(await requestCancellation(db, env, who, id)).toEqual({ ok: false, reason: "not_cancelable" });
});

test("says of each of several orders whether its cancellation was refused", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  const [unsent = 0, ended = 0] = orderIds;
  await closeOrder(db, env, await readOrder(ended), { status: "Completed", remains: 0, startCount: null });
  const other = await placeOrders([sandboxLink("still", "other")]);
  const [foreign = 0] = other.orderIds;
  const refused = await requestCancellations(db, env, { userId, isTest: false }, [unsent, ended, foreign, 0, unsent]);
  expect(refused).toEqual(
    new Map([
      [ended, "not_cancelable"],
      [foreign, "order_not_found"],
      [0, "order_not_found"],
    ]),
  );
  expect(await readOrder(unsent)).toMatchObject({ status: "Canceled" });
  expect(await readOrder(foreign)).toMatchObject({ status: "Pending" });
});

test("leaves the cancellation of an order without a provider to a person", async () => {
  const serviceId = await service({ cancel: true });
  const { userId } = await customerWith(MICRO);
  const fields = { link: sandboxLink(null, "manual"), quantity: "1000" };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  await cancelAll(userId, [placed.order.id]);
  expect(await readCancellation(placed.order.id)).toMatchObject({ status: "Pending", fulfillment: "manual" });
});

test("refunds every run of a drip-feed order that was not sent", async () => {
  const serviceId = await service({
    cancel: true,
    dripfeed: true,
    providerId: await sandboxProvider(),
    providerServiceId: "1",
  });
  const { userId } = await customerWith(3 * MICRO);
  const fields = { link: sandboxLink(null, "drip"), quantity: "1000", runs: "3", interval: "60" };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  await cancelAll(userId, [placed.order.id]);
  expect(await readOrder(placed.order.id)).toMatchObject({ status: "Canceled", remains: 3000 });
  expect(await readBalance(db, userId)).toBe(3 * MICRO);
});

test("sends each due cancellation of an open order once, to its own provider", async () => {
  const names = ["due", "waiting", "sent", "held", "ended"];
  const { providerId, userId, orderIds } = await placeOrders(names.map((name) => sandboxLink("still", name)));
  const elsewhere = await placeOrders([sandboxLink("still", "elsewhere")]);
  const all = [...orderIds, ...elsewhere.orderIds];
  await acceptOrders(all);
  await cancelAll(userId, orderIds);
  await cancelAll(elsewhere.userId, elsewhere.orderIds);
  const [due = 0, waiting = 0, sent = 0, held = 0, ended = 0] = orderIds;
  const change = (id: number, to: Partial<typeof cancellations.$inferInsert>) =>
    db.update(cancellations).set(to).where(eq(cancellations.orderId, id));
  const later = Date.now() + 60_000;
  await change(waiting, { leaseUntil: later });
  await change(sent, { fulfillment: "accepted" });
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, held));
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, ended));
  const calls = providerReplies(({ orders: order }) => Response.json([{ order, cancel: 1 }]));
  const send = async () => sendCancellations(await linkAt(providerId));
  await send();
  await send();
  expect(calls()).toEqual([{ action: "cancel", orders: idThere(due) }]);
  const wasAccepted = { status: "Pending", fulfillment: "accepted", attempts: 1, leaseUntil: 0 };
  expect(await readCancellation(due)).toMatchObject(wasAccepted);
  expect(await db.$count(providerLog, eq(providerLog.orderId, due))).toBe(1);
  expect(await readCancellation(waiting)).toMatchObject({ fulfillment: "queued", leaseUntil: later });
});

test("sends a cancellation again under the parameter that the provider misses, and learns it", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", "by-order")]);
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const [orderId = 0] = orderIds;
  const calls = providerReplies(({ order }) =>
    Response.json(order === undefined ? { error: "Missing parameter: order" } : { order, cancel: 5 }),
  );
  await sendCancellations(await linkAt(providerId));
  expect(await readCancellation(orderId)).toMatchObject({ fulfillment: "queued", attempts: 1 });
  await db.update(cancellations).set({ leaseUntil: 0 }).where(eq(cancellations.orderId, orderId));
  await sendCancellations(await linkAt(providerId));
  expect(calls()).toEqual([
    { action: "cancel", orders: idThere(orderId) },
    { action: "cancel", order: idThere(orderId) },
  ]);
  expect(await readCancellation(orderId)).toMatchObject({ fulfillment: "accepted" });
  expect(await readProvider(providerId)).toMatchObject({ dialect: { cancel: "one" } });
});

test("holds a cancellation after so many answers that say neither yes nor no", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", "neither")]);
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const [orderId = 0] = orderIds;
  providerReplies(() => Response.json({ order: "none" }));
  for (const [attempts, fulfillment] of [
    [32, "queued"],
    [33, "held"],
  ] as const) {
    await db.update(cancellations).set({ attempts, leaseUntil: 0 }).where(eq(cancellations.orderId, orderId));
    await sendCancellations(await linkAt(providerId));
    expect(await readCancellation(orderId)).toMatchObject({ fulfillment, attempts: attempts + 1, status: "Pending" });
  }
});

test("sends the cancellations that have waited longest first, twenty in a round", async () => {
  const { providerId, userId, orderIds } = await placeOrders(
    Array.from({ length: 21 }, (_, n) => sandboxLink("still", `many-${n}`)),
  );
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const last = orderIds[3] ?? 0;
  await db.update(cancellations).set({ leaseUntil: 1 }).where(eq(cancellations.orderId, last));
  const calls = providerReplies(({ orders: order }) => Response.json([{ order, cancel: 1 }]));
  await sendCancellations(await linkAt(providerId));
  const asked = new Set(calls().map((call) => call.orders));
  expect(asked).toEqual(new Set(orderIds.filter((id) => id !== last).map(idThere)));
  await sendCancellations(await linkAt(providerId));
  expect(calls().at(-1)?.orders).toBe(idThere(last));
});

test("waits longer each time for a provider that does not respond, and counts the failures", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", "waits")]);
  const [orderId = 0] = orderIds;
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  const calls = providerReplies(() => new Response("", { status: 502 }));
  let at = now;
  for (const [attempts, waitMs] of [10_000, 20_000, 40_000].entries()) {
    await sendCancellations(await linkAt(providerId));
    expect(calls()).toHaveLength(attempts + 1);
    at += waitMs;
    expect(await readCancellation(orderId)).toMatchObject({ fulfillment: "queued", leaseUntil: at });
    expect((await readProvider(providerId)).failures).toBe(attempts + 1);
    clock.mockReturnValue(at);
    await sendCancellations(await linkAt(providerId));
    expect(calls()).toHaveLength(attempts + 1);
    at += 1;
    clock.mockReturnValue(at);
  }
  const resting = { ...(await readProvider(providerId)), openUntil: at + 1 };
  await sendCancellations(linkTo(resting));
  expect(calls()).toHaveLength(3);
});

test("keeps a refused cancellation refused, and one of an open order open", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  const [refused = 0, open = 0] = orderIds;
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  providerReplies(({ orders: id }) =>
    id === idThere(refused) ? Response.json({ error: "Too late" }) : Response.json({ cancel: 1 }),
  );
  await sendCancellations(await linkAt(providerId));
  expect(await readCancellation(refused)).toMatchObject({ status: "Rejected", fulfillment: "rejected", leaseUntil: 0 });
  const end = { status: "Canceled", remains: 1000, startCount: null } as const;
  await closeOrder(db, env, await readOrder(refused), end);
  await resolveCancellations(db);
  expect(await readCancellation(refused)).toMatchObject({ status: "Rejected" });
  expect(await readCancellation(open)).toMatchObject({ status: "Pending", fulfillment: "accepted" });
});

test("declines the cancellation of an order that was delivered in full, and accepts that of one that ended earlier", async () => {
  const ends = { Completed: 0, Partial: 500, Canceled: 1000 };
  const { userId, orderIds } = await placeOrders(FINAL_STATUSES.map((status) => sandboxLink("still", status)));
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  for (const [at, status] of FINAL_STATUSES.entries()) {
    const order = await readOrder(orderIds[at] ?? 0);
    await closeOrder(db, env, order, { status, remains: ends[status], startCount: null });
  }
  await resolveCancellations(db);
  const became = await Promise.all(orderIds.map(readCancellation));
  const statuses = FINAL_STATUSES.map((status, at) => [status, became[at]?.status, became[at]?.fulfillment]);
  expect(statuses).toEqual([
    ["Completed", "Rejected", "rejected"],
    ["Partial", "Accepted", "accepted"],
    ["Canceled", "Accepted", "accepted"],
  ]);
});

test("postpones only the cancellation whose outcome can't be stored", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  const [failing = 0, stored = 0] = orderIds;
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  providerReplies(() => Response.json({ cancel: 1 }));
  const lift = await refuseUpdates("cancellations", `new.order_id = ${failing} and new.fulfillment = 'accepted'`);
  // The waits before the answer is stored again pass at once.
  const waits = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
  await sendCancellations(await linkAt(providerId));
  expect(waits).toHaveBeenCalledTimes(3);
  await lift();
  expect(await readCancellation(failing)).toMatchObject({ fulfillment: "queued", leaseUntil: now + 60_000 });
  expect(await readCancellation(stored)).toMatchObject({ fulfillment: "accepted", leaseUntil: 0 });
});

test("stores the provider's answer although the database refuses it once", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", 1)]);
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const calls = providerReplies(() => Response.json({ cancel: 1 }));
  await sendCancellations(await linkAt(providerId, losingUpdate("cancellations", 1)));
  expect(await readCancellation(orderIds[0] ?? 0)).toMatchObject({ fulfillment: "accepted", leaseUntil: 0 });
  expect(calls()).toHaveLength(1);
});

test("calls no provider again while its answers can't be stored", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink("still", 1), sandboxLink("still", 2)]);
  await acceptOrders(orderIds);
  await cancelAll(userId, orderIds);
  const stalled = stalls();
  let now = Date.now();
  const calls = providerReplies(() => {
    stalled.losingAnswers();
    // The two minutes in which the answer is stored again pass at once.
    vi.spyOn(Date, "now").mockImplementation(() => (now += 120_000));
    return Response.json({ cancel: 1 });
  });
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await expect(sendCancellations(await linkAt(providerId, standing))).rejects.toSatisfy(isUnavailable);
  expect(calls()).toHaveLength(1);
  await stalled.end();
  const left = await Promise.all(orderIds.map(readCancellation));
  expect(left.filter((one) => one?.fulfillment === "queued" && one.attempts === 0)).toHaveLength(1);
});

test("keeps no cancellation of a test order open, because every minute reads the open ones", async () => {
  const serviceId = await service({ cancel: true });
  const { userId } = await customerWith(MICRO);
  const fields = { link: sandboxLink(null, "test"), quantity: "1000" };
  const input = { serviceId, fields, idempotencyKey: null, source: "api", isTest: true } as const;
  const placed = await placeOrder(db, userId, input);
  if (!placed.ok) throw new Error(placed.fault.reason);
  const { id } = placed.order;
  expect(await requestCancellation(db, env, { userId, isTest: true }, id)).toEqual({ ok: true });
  expect((await readCancellation(id))?.status).not.toBe("Pending");
});

async function cancelAll(userId: string, orderIds: number[]): Promise<void> {
  for (const id of orderIds) {
    expect(await requestCancellation(db, env, { userId, isTest: false }, id)).toEqual({ ok: true });
  }
}

async function readCancellation(orderId: number) {
  const [found] = await db.select().from(cancellations).where(eq(cancellations.orderId, orderId));
  return found;
}
