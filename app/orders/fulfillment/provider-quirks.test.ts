import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providerLog, providers } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere } from "#tests/workerd/place-orders.ts";
import { runFulfillment, submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { newMemory } from "./dispatcher-memory.server.ts";
import { runProvider } from "./provider-round.server.ts";

/** How providers answer in reality, and what becomes of the customer's order and money. */

const CHARGE = 900_000;

beforeEach(() => {
  for (const level of ["error", "warn"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

for (const fault of ["429", "funds", "key"] as const) {
  test(`keeps an order queued after "${fault}", and sends it later`, async () => {
    const { order, userId, providerId } = await placed(sandboxLink(fault));
    await submitOrder(order.id);
    const waiting = await read(order);
    expect(waiting).toMatchObject({ status: "Pending", fulfillment: "queued", attempts: 1, refunded: 0 });
    expect(waiting.leaseUntil).toBeGreaterThan(Date.now());
    await submitOrder(order.id);
    expect(await read(order)).toMatchObject({ fulfillment: "queued", attempts: 1 });
    expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
    const paused = fault === "429" ? null : fault;
    expect(await readProvider(providerId)).toMatchObject({ pausedFor: paused, failures: 0 });
    await db
      .update(orders)
      .set({ leaseUntil: 0, link: sandboxLink(null) })
      .where(eq(orders.id, order.id));
    await db.update(providers).set({ pausedUntil: 0 }).where(eq(providers.id, providerId));
    await submitOrder(order.id);
    expect(await read(order)).toMatchObject({ fulfillment: "accepted", attempts: 2 });
    expect(await readProvider(providerId)).toMatchObject({ pausedFor: null, pausedUntil: 0 });
  });
}

for (const words of ["Invalid API key 5f3c9a7e", "Not sent, 5f3c9a7e"]) {
  test(`logs no word of the response "${words}", in which the key or the customer's link may stand`, async () => {
    const { order, providerId } = await placed("https://instagram.com/p/somebody");
    providerReplies(({ link }) => Response.json({ error: `${words}: ${link}` }));
    const lines: unknown[] = [];
    for (const level of ["log", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((line: unknown) => void lines.push(line));
    }
    await submitOrder(order.id);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/5f3c9a7e|somebody/);
    const [entry] = await db.select().from(providerLog).where(eq(providerLog.providerId, providerId));
    expect(entry?.response).toContain(words);
  });
}

test("sends no order to a provider that has no funds, and polls its other orders", async () => {
  const providerId = await sandboxProvider();
  const accepted = await placed(sandboxLink("active"), { providerId });
  const refused = await placed(sandboxLink("funds"), { providerId });
  await submitOrder(accepted.order.id);
  const next = await placed(sandboxLink(null), { providerId });
  await runFulfillment(providerId);
  expect(await read(refused.order)).toMatchObject({ fulfillment: "queued", attempts: 1 });
  expect(await read(next.order)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  expect(await read(accepted.order)).toMatchObject({ status: "In progress" });
});

test("sends nothing while a provider is turned off or its breaker is open", async () => {
  const { order, providerId } = await placed(sandboxLink(null));
  for (const state of [{ enabled: false }, { openUntil: Date.now() + HOUR_MS }]) {
    await db.update(providers).set(state).where(eq(providers.id, providerId));
    await submitOrder(order.id);
    await db.update(providers).set({ enabled: true, openUntil: 0 }).where(eq(providers.id, providerId));
  }
  expect(await read(order)).toMatchObject({ fulfillment: "queued", attempts: 0 });
});

test("claims nothing if the provider's key cannot be decrypted", async () => {
  const { order, providerId } = await placed(sandboxLink(null));
  await db.update(providers).set({ encryptedKey: "not sealed" }).where(eq(providers.id, providerId));
  await expect(submitOrder(order.id)).rejects.toThrow();
  expect(await read(order)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  await db.update(providers).set({ enabled: false }).where(eq(providers.id, providerId));
});

for (const fault of ["vague", "zero", "huge"] as const) {
  test(`holds an order after "${fault}"`, async () => {
    const { order, userId } = await placed(sandboxLink(fault));
    await submitOrder(order.id);
    expect(await read(order)).toMatchObject({ fulfillment: "held", providerOrderId: null, refunded: 0 });
    expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
    const [logged] = await db.select().from(providerLog).where(eq(providerLog.orderId, order.id));
    expect(logged?.response.length).toBeLessThanOrEqual(4000);
  });
}

test("holds the second order with one provider id", async () => {
  const providerId = await sandboxProvider();
  const [first, second] = [
    await placed(sandboxLink("same"), { providerId }),
    await placed(sandboxLink("same"), { providerId }),
  ];
  await submitOrder(first.order.id);
  await submitOrder(second.order.id);
  expect(await read(first.order)).toMatchObject({ fulfillment: "accepted", providerOrderId: "1000000007" });
  expect(await read(second.order)).toMatchObject({ fulfillment: "held", providerOrderId: null });
});

/** A fault, the status that the order ends with, and the refund in micro-units. */
const ENDED: [SandboxFault, string, number][] = [
  ["unbegun", "Canceled", CHARGE],
  ["failed", "Canceled", CHARGE],
];

for (const [fault, status, refunded] of ENDED) {
  test(`refunds ${refunded / CHARGE} of an order after "${fault}"`, async () => {
    const { order, userId } = await placed(sandboxLink(fault));
    await submitOrder(order.id);
    await runFulfillment(order.providerId);
    expect(await read(order)).toMatchObject({ status, refunded });
    expect(await readBalance(db, userId)).toBe(MICRO - CHARGE + refunded);
  });
}

test("reads remains with a comma and decimals", async () => {
  const { order } = await placed(sandboxLink("decimals"), { quantity: "4000", funds: 4 * MICRO });
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ status: "Partial", remains: 1000, refunded: CHARGE, startCount: 1204 });
});

test("holds a canceled order whose provider says neither remains nor charge", async () => {
  const { order } = await placed(sandboxLink("silent"));
  await submitOrder(order.id);
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ status: "Pending", fulfillment: "held", refunded: 0 });
});

for (const fault of ["missing", "strange"] as const) {
  test(`logs an unreadable status once and holds the order after an hour of "${fault}"`, async () => {
    const { order, providerId } = await placed(sandboxLink(fault));
    await submitOrder(order.id);
    for (let run = 0; run < 3; run++) await runFulfillment(order.providerId);
    expect(await statusLog(order)).toHaveLength(1);
    const { unreadableSince, fulfillment } = await read(order);
    expect(fulfillment).toBe("accepted");
    await db
      .update(orders)
      .set({ unreadableSince: unreadableSince - HOUR_MS - 1 })
      .where(eq(orders.id, order.id));
    await runFulfillment(order.providerId);
    expect(await read(order)).toMatchObject({ status: "Pending", fulfillment: "held" });
    expect(await statusLog(order)).toHaveLength(1);
    expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
  });
}

test("syncs the other orders when a provider refuses a whole status call because of one", async () => {
  const providerId = await sandboxProvider();
  const spoiling = await placed(sandboxLink("spoiling"), { providerId });
  const others = [];
  for (let n = 0; n < 9; n++) others.push((await placed(sandboxLink("active", n), { providerId })).order);
  for (const { id } of [spoiling.order, ...others]) await submitOrder(id);
  await runFulfillment(providerId);
  const moved = and(
    inArray(
      orders.id,
      others.map(({ id }) => id),
    ),
    eq(orders.status, "In progress"),
  );
  expect(await db.select({ id: orders.id }).from(orders).where(moved)).toHaveLength(9);
  expect((await read(spoiling.order)).unreadableSince).toBeGreaterThan(0);
  expect(await readProvider(providerId)).toMatchObject({ failures: 0, openUntil: 0 });
});

test("sends the other orders at once when a provider has another order for the link of one", async () => {
  const providerId = await sandboxProvider();
  const busy = await placed(sandboxLink(null, "twice"), { providerId });
  const other = await placed(sandboxLink(null, "once"), { providerId });
  await db.update(providers).set({ concurrentCalls: 1 }).where(eq(providers.id, providerId));
  const sandbox = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...call) =>
    String(call[1]?.body).includes("twice")
      ? Response.json({ error: "You have active order with this link. Please wait until order being completed." })
      : sandbox(...call),
  );
  await submitOrder(busy.order.id);
  expect(await read(busy.order)).toMatchObject({ fulfillment: "queued", attempts: 1 });
  expect(await read(other.order)).toMatchObject({ fulfillment: "accepted" });
});

test("sends a subscription without the fields of a drip-feed", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const providerId = await sandboxProvider();
  const terms = { providerId, providerServiceId: crypto.randomUUID(), type: "Subscriptions" } as const;
  const fields: OrderFields = { username: "ada", min: "10", max: "100", posts: "5", delay: "0" };
  const input = { serviceId: await service(terms), fields, idempotencyKey: null, source: "api" } as const;
  const result = await placeOrder(db, userId, input);
  if (!result.ok) throw new Error(result.fault.reason);
  const calls = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(Response.json({ order: crypto.randomUUID() }));
  await submitOrder(result.order.id);
  const sent = Object.fromEntries(new URLSearchParams(String(calls.mock.calls[0]?.[1]?.body)));
  expect(sent).toMatchObject({ ...fields, action: "add" });
  expect(sent).not.toHaveProperty("runs");
  expect(sent).not.toHaveProperty("interval");
});

test("counts down what remains of a running subscription by its provider's list of orders, and of no other order", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const providerId = await sandboxProvider();
  const terms = () => ({ providerId, providerServiceId: crypto.randomUUID(), dripfeed: true });
  const subscribed: OrderFields = { username: "ada", min: "10", max: "100", posts: "5", delay: "0" };
  const dripped: OrderFields = { link: "https://instagram.com/p/1", quantity: "100", runs: "5", interval: "60" };
  const placing = [
    { serviceId: await service({ ...terms(), type: "Subscriptions" }), fields: subscribed },
    { serviceId: await service(terms()), fields: dripped },
  ];
  const accepted: Order[] = [];
  for (const input of placing) {
    const result = await placeOrder(db, userId, { ...input, idempotencyKey: null, source: "api" });
    if (!result.ok) throw new Error(result.fault.reason);
    accepted.push(result.order);
  }
  await acceptOrders(accepted.map(({ id }) => id));
  const remains = async () => Promise.all(accepted.map(async (order) => (await read(order)).remains));
  for (const [made, left] of [
    [0, 500],
    [2, 300],
    [7, 0],
  ] as const) {
    const list = Array.from({ length: made }, (_, index) => String(index + 1));
    const entry = { status: "Active", expiry: null, posts: "5", orders: list };
    providerReplies(() => Response.json(Object.fromEntries(accepted.map(({ id }) => [idThere(id), entry]))));
    await runFulfillment(providerId);
    expect(await remains(), String(made)).toEqual([left, 500]);
  }
  for (const order of accepted) expect(await read(order)).toMatchObject({ status: "In progress", refunded: 0 });
});

test("reads an empty list as a status response without the order, and holds the order after an hour", async () => {
  const { order, providerId } = await placed(sandboxLink("still"));
  await submitOrder(order.id);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json([]));
  for (let run = 0; run < 6; run++) await runFulfillment(order.providerId);
  expect(await readProvider(providerId)).toMatchObject({ failures: 0, openUntil: 0 });
  const { unreadableSince } = await read(order);
  expect(unreadableSince).toBeGreaterThan(0);
  await db
    .update(orders)
    .set({ unreadableSince: unreadableSince - HOUR_MS - 1 })
    .where(eq(orders.id, order.id));
  await runFulfillment(order.providerId);
  expect(await read(order)).toMatchObject({ fulfillment: "held" });
});

test("syncs the other orders when the entry of one makes the response too long", async () => {
  const providerId = await sandboxProvider();
  const long = await placed(sandboxLink("still", "long"), { providerId });
  const others = [];
  for (let n = 0; n < 5; n++) others.push((await placed(sandboxLink("active", n), { providerId })).order);
  for (const { id } of [long.order, ...others]) await submitOrder(id);
  const longId = (await read(long.order)).providerOrderId ?? "";
  const sandbox = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...call) => {
    const ids = new URLSearchParams(String(call[1]?.body)).get("orders")?.split(",") ?? [];
    return ids.includes(longId) ? new Response("x".repeat(2_000_000)) : sandbox(...call);
  });
  await runFulfillment(providerId);
  for (const order of others) expect(await read(order)).toMatchObject({ status: "In progress" });
  expect((await read(long.order)).unreadableSince).toBeGreaterThan(0);
  expect(await readProvider(providerId)).toMatchObject({ failures: 0, openUntil: 0 });
});

test("logs the first of the status calls in a row that a provider refuses", async () => {
  const { order, providerId } = await placed(sandboxLink("still"));
  await submitOrder(order.id);
  const refused = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ error: "Invalid API key" }));
  const memory = newMemory();
  for (let round = 0; round < 3; round++) {
    memory.statusesAt = 0;
    await runProvider(db, env, providerId, memory);
  }
  expect(refused).toHaveBeenCalledTimes(3);
  expect(await db.$count(providerLog, eq(providerLog.providerId, providerId))).toBe(1);
});

for (const [header, waitMs] of [
  ["0", 0],
  ["-5", 0],
  ["soon", 0],
  ["Sat, 01 Jan 2000 00:00:00 GMT", 0],
  ["7", 7000],
  ["99999999999", HOUR_MS],
  ["Fri, 01 Jan 2100 00:00:00 GMT", HOUR_MS],
] as const) {
  test(`waits ${waitMs} ms after a Retry-After of "${header}"`, async () => {
    const headers = { "Retry-After": header };
    vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(
      Response.json({ error: "Slow down" }, { status: 429, headers }),
    );
    const { retryAfterMs = 0 } = await postToProvider({ apiUrl: "https://panel.example", key: "k" }, { action: "add" });
    expect(retryAfterMs).toBe(waitMs);
  });
}

async function placed(
  link: string,
  { providerId, quantity = "1000", funds = MICRO }: { providerId?: number; quantity?: string; funds?: number } = {},
) {
  const { userId } = await customerWith(funds);
  const at = providerId ?? (await sandboxProvider());
  const serviceId = await service({ providerId: at, providerServiceId: crypto.randomUUID() });
  const fields: OrderFields = { link, quantity };
  const result = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  if (!result.ok) throw new Error(result.fault.reason);
  return { order: result.order, userId, providerId: at };
}

async function read(order: Order): Promise<Order> {
  const [now] = await db.select().from(orders).where(eq(orders.id, order.id));
  if (!now) throw new Error("order not found");
  return now;
}

async function readProvider(providerId: number) {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  return provider;
}

async function statusLog(order: Order) {
  const isStatus = and(eq(providerLog.orderId, order.id), eq(providerLog.action, "status"));
  return db.select().from(providerLog).where(isStatus);
}
