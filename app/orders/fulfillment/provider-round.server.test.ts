import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providers, refills, services } from "#app/db/schema.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { keptOf, newMemory } from "./dispatcher-memory.server.ts";
import { runProvider } from "./provider-round.server.ts";
import { requestRefill } from "./refills.server.ts";

const WAIT = { timeout: 90_000, interval: 10 };

beforeEach(() => {
  for (const level of ["error", "log"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

const ROUNDS: [what: string, change: Partial<Order>, nextMs: number | null][] = [
  ["a recent order is open", {}, RECENT_ROUND_MS],
  ["an older order is open", { createdAt: Date.now() - 2 * HOUR_MS }, 60_000],
  ["an order waits to be sent again", { fulfillment: "queued", leaseUntil: 25_000 }, 25_000],
  ["all orders have ended", { status: "Completed", remains: 0 }, null],
];

for (const [what, { leaseUntil = 0, ...change }, nextMs] of ROUNDS) {
  test(`runs the next round ${nextMs === null ? "never" : `in ${nextMs} ms`} while ${what}`, async () => {
    const { providerId, orderIds } = await placeOrders([sandboxLink(null, "rounds")]);
    await acceptOrders(orderIds);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now);
    const [orderId = 0] = orderIds;
    await db
      .update(orders)
      .set({ ...change, leaseUntil: leaseUntil && now + leaseUntil })
      .where(eq(orders.id, orderId));
    providerReplies(() => Response.json({ [idThere(orderId)]: { status: "In progress", remains: "1000" } }));
    const memory = newMemory();
    expect(await runProvider(db, env, providerId, memory)).toBe(nextMs);
    if (leaseUntil === 0) return;
    memory.sending.from = now + 40_000;
    memory.statusesAt = 0;
    expect(await runProvider(db, env, providerId, memory)).toBe(40_000);
  });
}

test("asks a provider that failed for its balance first, and sends nothing until it responds", async () => {
  const { providerId, orderIds } = await placeOrders([sandboxLink(null, "probe")]);
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  await db.update(providers).set({ failures: 5 }).where(eq(providers.id, providerId));
  let status = 502;
  const calls = providerReplies(({ action }) =>
    status === 502 ? new Response("", { status }) : Response.json(action === "add" ? { order: 5 } : { balance: "1" }),
  );
  const actions = () => calls().map(({ action }) => action);
  expect(await runProvider(db, env, providerId, newMemory())).toBe(30_000);
  expect(actions()).toEqual(["balance"]);
  expect(await runProvider(db, env, providerId, newMemory())).toBe(30_000);
  expect(actions()).toEqual(["balance"]);
  status = 200;
  await db.update(providers).set({ openUntil: 0 }).where(eq(providers.id, providerId));
  await runProvider(db, env, providerId, newMemory());
  expect(actions().slice(1, 3)).toEqual(["balance", "add"]);
  expect(await readOrder(orderIds[0] ?? 0)).toMatchObject({ fulfillment: "accepted" });
  expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
});

test("reaches a provider that failed again, also if it has no call for the balance", async () => {
  for (const answer of [() => new Response(""), () => new Response("<html>no such page</html>", { status: 404 })]) {
    const { providerId, orderIds } = await placeOrders([sandboxLink(null, "no-balance")]);
    await db.update(providers).set({ failures: 5 }).where(eq(providers.id, providerId));
    const calls = providerReplies(({ action }) =>
      action === "balance" ? answer() : Response.json(action === "services" ? [] : { order: crypto.randomUUID() }),
    );
    await runProvider(db, env, providerId, newMemory());
    expect(calls().map(({ action }) => action)).toEqual(expect.arrayContaining(["balance", "services", "add"]));
    expect(await readOrder(orderIds[0] ?? 0)).toMatchObject({ fulfillment: "accepted" });
    expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
  }
});

const KEPT = {
  account: "digest",
  from: 1,
  unknown: 2,
  suspect: { orderId: 3, unknown: 4, from: 5 },
  heldFrom: 6,
  heldRefillsFrom: 10,
  passStartedAt: 7,
  failingSince: 8,
  refillsFailingSince: 9,
};

test("keeps its back-offs between two memories, without the customer", () => {
  const memory = newMemory(KEPT);
  expect(memory.sending.suspect).toEqual({ ...KEPT.suspect, userId: "" });
  memory.sending = { ...memory.sending, suspect: { ...KEPT.suspect, userId: "ada" } };
  expect(keptOf(memory)).toEqual(KEPT);
  // A pass that goes on starts anew.
  memory.statuses.olderFrom = 8;
  expect(keptOf(memory)).toEqual({ ...KEPT, passStartedAt: 0 });
  memory.sending.suspect = null;
  expect(keptOf(memory)).toMatchObject({ suspect: null });
});

test("starts without back-offs, and with everything due", () => {
  expect(newMemory()).toEqual({
    account: "",
    pace: null,
    sending: { from: 0, unknown: 0, suspect: null, hasAccepted: false },
    statuses: { recentFrom: null, olderFrom: null, passStartedAt: 0, hasFailed: false, failingSince: 0 },
    statusesAt: 0,
    heldFrom: 0,
    heldRefillsFrom: 0,
    held: { order: null, refill: null },
    refills: { hasFailed: false, failingSince: 0 },
    refillsFrom: 0,
    send: null,
    tally: { calls: 0, errors: 0 },
    talliedAt: 0,
    statements: { sent: 0 },
  });
});

test.for([
  ["unknown", { id: 2 ** 31 - 1 }, null],
  ["turned off", { enabled: false }, null],
  ["resting for a moment", { openUntil: 500 }, 1000],
  ["resting for a while", { openUntil: 5000 }, 5000],
  ["paused", { pausedUntil: 90_000 }, 90_000],
] as const)("makes no call to a provider that is %s", async ([_, state, nextMs]) => {
  const { now, providerId } = await atNow([sandboxLink(null)]);
  const { id = providerId, ...change } = { ...state } as { id?: number; openUntil?: number; pausedUntil?: number };
  for (const name of ["openUntil", "pausedUntil"] as const) if (change[name]) change[name] += now;
  if (Object.keys(change).length > 0) await db.update(providers).set(change).where(eq(providers.id, providerId));
  const calls = providerReplies(() => Response.json({}));
  expect(await runProvider(db, env, id, newMemory())).toBe(nextMs);
  expect(calls()).toEqual([]);
});

test("keeps its back-off until the provider gets new settings, which are tried at once", async () => {
  const { now, providerId, orderIds } = await atNow([sandboxLink(null)]);
  const memory = newMemory();
  const calls = providerReplies(() => Response.json({ order: crypto.randomUUID() }));
  await db
    .update(orders)
    .set({ leaseUntil: now + 1 })
    .where(inArray(orders.id, orderIds));
  expect(await runProvider(db, env, providerId, memory)).toBe(1);
  await db.update(orders).set({ leaseUntil: 0 }).where(inArray(orders.id, orderIds));
  memory.sending.from = now + 50_000;
  memory.statusesAt = 0;
  expect(await runProvider(db, env, providerId, memory)).toBe(50_000);
  expect(calls()).toEqual([]);
  const { apiUrl } = await readProvider(providerId);
  await db
    .update(providers)
    .set({ apiUrl: `${apiUrl}?` })
    .where(eq(providers.id, providerId));
  memory.statusesAt = 0;
  // The accepted order is asked for next.
  expect(await runProvider(db, env, providerId, memory)).toBe(RECENT_ROUND_MS);
  expect(calls().map(({ action }) => action)).toEqual(["add"]);
});

test("lets the customer wait whose orders have unknown outcomes, also when only the order is known", async () => {
  const { now, providerId, orderIds } = await atNow([sandboxLink(null)]);
  const [orderId = 0] = orderIds;
  const calls = providerReplies(() => Response.json({ order: crypto.randomUUID() }));
  const { account } = await accountOf(providerId);
  const suspect = { orderId, unknown: 6, from: now + 50_000 };
  expect(await runProvider(db, env, providerId, newMemory({ account, suspect }))).toBe(50_000);
  const { orderIds: others } = await placeOrders([sandboxLink(null, "other")], providerId);
  await db
    .update(orders)
    .set({ leaseUntil: now + 20_000 })
    .where(inArray(orders.id, others));
  expect(await runProvider(db, env, providerId, newMemory({ account, suspect }))).toBe(20_000);
  expect(calls()).toEqual([]);
  const gone = { ...suspect, orderId: 2 ** 31 - 1 };
  await runProvider(db, env, providerId, newMemory({ account, suspect: gone }));
  expect(calls()).toHaveLength(1);
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted" });
});

test.for([
  ["less than eight seconds after the last time", -7999, 0, 1],
  ["eight seconds after the last time", -8000, 1, RECENT_ROUND_MS],
  ["when the clock was set back since the last time", 1, 1, RECENT_ROUND_MS],
] as const)("asks for statuses, or not, %s", async ([_, statusesAt, asked, nextMs]) => {
  const { now, providerId, orderIds } = await atNow([sandboxLink(null)]);
  await acceptOrders(orderIds);
  const calls = providerReplies(() => Response.json({ [idThere(orderIds[0])]: { status: "In progress" } }));
  const memory = newMemory();
  memory.statusesAt = now + statusesAt;
  expect(await runProvider(db, env, providerId, memory)).toBe(nextMs);
  expect(calls()).toHaveLength(asked);
  expect(memory.statusesAt).toBe(asked === 0 ? now + statusesAt : now);
});

test("asks for held orders an hour after the last time", async () => {
  const { now, providerId, orderIds } = await atNow([sandboxLink(null)]);
  await acceptOrders(orderIds);
  await db.update(orders).set({ fulfillment: "held" }).where(inArray(orders.id, orderIds));
  const calls = providerReplies(() => Response.json({}));
  const memory = newMemory({ heldFrom: now + 1 });
  await runProvider(db, env, providerId, memory);
  expect(calls()).toHaveLength(0);
  memory.heldFrom = now;
  expect(await runProvider(db, env, providerId, memory)).toBe(RECENT_ROUND_MS);
  expect(calls()).toHaveLength(1);
  expect(memory.heldFrom).toBe(now + HOUR_MS);
});

test("asks for refills as often as their customer watches them, and not before that time", async () => {
  const { now, clock, providerId, orderIds, userId } = await atNow([sandboxLink(null)]);
  const [orderId = 0] = orderIds;
  await acceptOrders(orderIds);
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, orderId));
  await db.update(services).set({ refill: true }).where(eq(services.providerId, providerId));
  await requestRefill(db, { userId, isTest: false }, orderId);
  const calls = providerReplies(({ action }) =>
    action === "refill" ? Response.json({ refill: 7 }) : Response.json([{ refill: 7, status: "Pending" }]),
  );
  const actions = () => calls().map(({ action }) => action);
  const memory = newMemory();
  memory.refillsFrom = now + HOUR_MS;
  // The provider may finish a refill that was just sent.
  expect(await runProvider(db, env, providerId, memory)).toBe(RECENT_ROUND_MS);
  expect(actions()).toEqual(["refill"]);
  clock.mockReturnValue(now + RECENT_ROUND_MS);
  expect(await runProvider(db, env, providerId, memory)).toBe(RECENT_ROUND_MS);
  expect(actions()).toEqual(["refill", "refill_status"]);
  expect(await runProvider(db, env, providerId, memory)).toBe(RECENT_ROUND_MS);
  expect(actions()).toHaveLength(2);
  await db
    .update(refills)
    .set({ createdAt: now - HOUR_MS })
    .where(eq(refills.orderId, orderId));
  clock.mockReturnValue(now + 2 * RECENT_ROUND_MS);
  expect(await runProvider(db, env, providerId, memory)).toBe(60_000);
  expect(actions()).toHaveLength(3);
  await db.update(refills).set({ status: "Completed" }).where(eq(refills.orderId, orderId));
  clock.mockReturnValue(now + 2 * RECENT_ROUND_MS + 60_000);
  expect(await runProvider(db, env, providerId, memory)).toBeNull();
  expect(memory.refillsFrom).toBe(Number.POSITIVE_INFINITY);
  expect(actions()).toHaveLength(3);
});

test.for(["refill_status", "status"])("repeats a failed step, %s, after half a minute", async (failing) => {
  const { providerId, orderIds, userId } = await atNow([sandboxLink(null)]);
  const [orderId = 0] = orderIds;
  await acceptOrders(orderIds);
  if (failing === "refill_status") {
    await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, orderId));
    await db.update(services).set({ refill: true }).where(eq(services.providerId, providerId));
    await requestRefill(db, { userId, isTest: false }, orderId);
    const accepted = { fulfillment: "accepted", providerRefillId: "7" } as const;
    await db.update(refills).set(accepted).where(eq(refills.orderId, orderId));
  }
  const calls = providerReplies(() => new Response("", { status: 502 }));
  const lift = await refuseUpdates("providers", `new.id = ${providerId}`);
  expect(await runProvider(db, env, providerId, newMemory())).toBe(30_000);
  await lift();
  expect(calls().map(({ action }) => action)).toEqual([failing]);
});

test("tries again to submit half a minute after a failure on our side", async () => {
  const { now, providerId } = await atNow([sandboxLink(null)]);
  await db.update(providers).set({ encryptedKey: "not sealed" }).where(eq(providers.id, providerId));
  const memory = newMemory();
  expect(await runProvider(db, env, providerId, memory)).toBe(30_000);
  expect(memory.sending.from).toBe(now + 30_000);
  expect(memory.send).toBeNull();
});

test("sends what is placed during a round, and nothing once it has ended", async () => {
  const { now, clock, providerId, orderIds, userId } = await atNow([sandboxLink(null, "watched")]);
  const [watched = 0] = orderIds;
  await acceptOrders(orderIds);
  await requestCancellation(db, env, { userId, isTest: false }, watched);
  const memory = newMemory();
  const placed: number[] = [];
  providerReplies(async ({ action }) => {
    if (action === "add") return Response.json({ order: crypto.randomUUID() });
    if (action === "status") return Response.json({ [idThere(watched)]: { status: "In progress" } });
    // While this call hangs, orders are sent past the sending time of eight seconds.
    for (const at of [now, now + 9000]) {
      clock.mockReturnValue(at);
      const { orderIds: more } = await placeOrders([sandboxLink(null, at)], providerId);
      placed.push(...more);
      memory.send?.();
      await vi.waitUntil(async () => (await readOrder(more[0] ?? 0)).fulfillment === "accepted", WAIT);
    }
    return Response.json({ cancel: 1 });
  });
  await runProvider(db, env, providerId, memory);
  for (const id of placed) expect(await readOrder(id)).toMatchObject({ fulfillment: "accepted" });
  expect(placed).toHaveLength(2);
  expect(memory.send).toBeNull();
});

test("goes on to ask for statuses while a call hangs, and sends while they are asked for", async () => {
  const { now, clock, providerId, orderIds } = await atNow([sandboxLink(null, "watched")]);
  await acceptOrders(orderIds);
  const { orderIds: hanging } = await placeOrders([sandboxLink(null, "hanging")], providerId);
  const memory = newMemory();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let statusCalls = 0;
  let late: number[] = [];
  providerReplies(async ({ action, link }) => {
    if (action === "add") {
      if (link?.includes("hanging")) await released;
      return Response.json({ order: crypto.randomUUID() });
    }
    clock.mockReturnValue(now + RECENT_ROUND_MS);
    if (++statusCalls === 2) {
      release();
      await vi.waitUntil(async () => (await readOrder(hanging[0] ?? 0)).fulfillment === "accepted", WAIT);
      late = (await placeOrders([sandboxLink(null, "late")], providerId)).orderIds;
      memory.send?.();
      await vi.waitUntil(async () => (await readOrder(late[0] ?? 0)).fulfillment === "accepted", WAIT);
    }
    return Response.json({ [idThere(orderIds[0])]: { status: "In progress" } });
  });
  setTimeout(release, WAIT.timeout);
  await runProvider(db, env, providerId, memory);
  expect(statusCalls).toBe(2);
  expect(await readOrder(late[0] ?? 0)).toMatchObject({ fulfillment: "accepted" });
});

test("keeps the limit of calls at once that staff set since the last round", async () => {
  const providerId = await sandboxProvider();
  const memory = newMemory();
  const state = { running: 0, most: 0 };
  providerReplies(async () => {
    state.most = Math.max(state.most, ++state.running);
    await scheduler.wait(30);
    state.running--;
    return Response.json({ order: crypto.randomUUID() });
  });
  for (const concurrentCalls of [3, 1]) {
    await db.update(providers).set({ concurrentCalls }).where(eq(providers.id, providerId));
    const links = [1, 2, 3, 4].map((n) => sandboxLink(null, `${concurrentCalls}-${n}`));
    const { orderIds } = await placeOrders(links, providerId);
    state.most = 0;
    // Only the orders are due.
    memory.statusesAt = Date.now();
    await runProvider(db, env, providerId, memory);
    expect(state.most).toBeLessThanOrEqual(concurrentCalls);
    for (const id of orderIds) expect(await readOrder(id)).toMatchObject({ fulfillment: "accepted" });
  }
});

test("adds no status call to a round of more than a minute", async () => {
  const { now, clock, providerId, orderIds } = await atNow([sandboxLink(null, "watched")]);
  await acceptOrders(orderIds);
  await placeOrders([sandboxLink(null, "hanging")], providerId);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let statusCalls = 0;
  providerReplies(async ({ action }) => {
    if (action === "add") {
      await released;
      return Response.json({ order: crypto.randomUUID() });
    }
    clock.mockReturnValue(now + ++statusCalls * 10_000);
    if (statusCalls === 7) setTimeout(release, 100);
    return Response.json({ [idThere(orderIds[0])]: { status: "In progress" } });
  });
  setTimeout(release, WAIT.timeout);
  // A step whose time came meanwhile is due at once.
  expect(await runProvider(db, env, providerId, newMemory())).toBe(0);
  expect(statusCalls).toBe(7);
});

/** Places orders at a new provider, and stops the clock. */
async function atNow(links: string[]) {
  const placed = await placeOrders(links, await sandboxProvider());
  const now = Date.now();
  return { ...placed, now, clock: vi.spyOn(Date, "now").mockReturnValue(now) };
}

/** Returns what a dispatcher keeps after a round in which nothing was due. */
async function accountOf(providerId: number) {
  const memory = newMemory();
  const { openUntil } = await readProvider(providerId);
  await db
    .update(providers)
    .set({ openUntil: Date.now() + 1 })
    .where(eq(providers.id, providerId));
  await runProvider(db, env, providerId, memory);
  await db.update(providers).set({ openUntil }).where(eq(providers.id, providerId));
  return keptOf(memory);
}
