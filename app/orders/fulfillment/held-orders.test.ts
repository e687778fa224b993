import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { type Order, orders, providerLog, providers } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { runFulfillment, submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { closeOrder } from "./close-order.server.ts";
import { newMemory } from "./dispatcher-memory.server.ts";
import { syncHeld } from "./held-orders.server.ts";
import { runProvider } from "./provider-round.server.ts";
import { newSending, submitQueued } from "./submission.server.ts";
import { holdLostSubmissions } from "./submission-claims.server.ts";

const CHARGE = 900_000;

beforeEach(() => {
  for (const level of ["error", "warn"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("lets a held order go on as soon as its status can be read", async () => {
  const { orderId, theirs } = await heldWithId("still");
  await runFulfillment();
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", status: "Pending", unreadableSince: 0 });
  expect(theirs).not.toBeNull();
});

test("closes a held order once the provider says what it delivered", async () => {
  const { orderId, userId } = await heldWithId("decimals");
  await runFulfillment();
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", status: "Partial" });
  expect(await readBalance(db, userId)).toBeGreaterThan(MICRO - 900_000);
});

for (const fault of ["silent", "strange", "missing"] as const) {
  test(`keeps an order held, without a log entry, while its status is "${fault}"`, async () => {
    const { orderId } = await heldWithId(fault);
    await runFulfillment();
    expect(await readOrder(orderId)).toMatchObject({ fulfillment: "held", status: "Pending", refunded: 0 });
    expect(await db.$count(providerLog, and(eq(providerLog.orderId, orderId), eq(providerLog.action, "status")))).toBe(
      0,
    );
  });
}

/** Reports about a held order of 1,000 pieces with 700 remaining, and what each one stores, if anything. */
const REPORTS: [says: Record<string, unknown>, stored: Partial<Order> | null][] = [
  [
    { status: "Processing", remains: "600", start_count: "8" },
    { status: "Processing", remains: 600, startCount: 8 },
  ],
  [{ status: "In progress" }, { status: "In progress", remains: 700, startCount: 5 }],
  [
    { status: "Completed", remains: "300" },
    { status: "Completed", remains: 0, refunded: 0 },
  ],
  [
    { status: "Partial", remains: "500" },
    { status: "Partial", remains: 500, refunded: CHARGE / 2 },
  ],
  [
    { status: "Canceled", charge: 0 },
    { status: "Canceled", remains: 1000, refunded: CHARGE, cost: 0, costIsReported: true },
  ],
  [
    { status: "Processing", charge: "0.44" },
    { status: "Processing", cost: 440_000, costIsReported: true },
  ],
  [
    { status: "Completed", charge: "0.44" },
    { status: "Completed", remains: 0, cost: 440_000, costIsReported: true },
  ],
  [{ status: "Canceled", remains: "0" }, null],
  [{ status: "Partial" }, null],
  [{ status: "Awaiting moon", remains: "9" }, null],
  [{ error: "Incorrect order ID", status: "Completed" }, null],
];

test("stores what a provider reports of each held order, if that says enough", async () => {
  const errors = vi.spyOn(console, "error");
  const { provider, before } = await heldOrders(REPORTS.length);
  const says = Object.fromEntries(before.map(({ id }, n) => [idThere(id), REPORTS[n]?.[0]]));
  providerReplies(() => Response.json(says));
  const now = Date.now() + 1000;
  vi.spyOn(Date, "now").mockReturnValue(now);
  await syncHeld(linkTo(provider));
  for (const [n, [says, stored]] of REPORTS.entries()) {
    const released = stored && {
      ...stored,
      fulfillment: "accepted",
      unreadableSince: 0,
      leaseUntil: 0,
      updatedAt: now,
      history: expect.any(String),
    };
    const order = before[n] as Order;
    expect(await readOrder(order.id), JSON.stringify(says)).toEqual({ ...order, ...released });
  }
  expect(errors).not.toHaveBeenCalled();
});

test("releases a held order although another one's id spoils their call", async () => {
  const { provider, before } = await heldOrders(3);
  const [first, spoiling, last] = before.map(({ id }) => id);
  const entry = { status: "In progress", remains: "9" };
  const calls = providerReplies(({ orders: ids = "" }) =>
    ids.split(",").includes(idThere(spoiling))
      ? Response.json({ error: "Incorrect order ID" })
      : Response.json({ [idThere(first)]: entry, [idThere(last)]: entry }),
  );
  await syncHeld(linkTo(provider));
  for (const id of [first, last]) expect(await readOrder(id ?? 0)).toMatchObject({ fulfillment: "accepted" });
  expect(await readOrder(spoiling ?? 0)).toEqual(before[1]);
  expect(calls().map((call) => call.orders?.split(",").length)).toContain(1);
});

test("asks only for the provider's own orders that are held under its id and open", async () => {
  const { provider, before } = await heldOrders(4);
  await heldOrders(1);
  const [held, unknown, tracked, ended] = before.map(({ id }) => id);
  await change(unknown, { providerOrderId: null });
  await change(tracked, { fulfillment: "accepted" });
  await change(ended, { status: "Completed", remains: 0 });
  const calls = providerReplies(() => Response.json({}));
  await syncHeld(linkTo(provider));
  expect(calls()).toEqual([{ action: "status", orders: idThere(held) }]);
});

test("asks for no held order while the provider rests, and once where it refuses all calls", async () => {
  const { provider } = await heldOrders(1);
  const calls = providerReplies(() => Response.json({ error: "Too many requests" }));
  await syncHeld(linkTo({ ...provider, openUntil: Date.now() + HOUR_MS }));
  expect(calls()).toHaveLength(0);
  await syncHeld(linkTo(provider));
  expect(calls()).toHaveLength(1);
});

test("leaves a held order alone that a person decided about during the call", async () => {
  for (const says of [
    { status: "In progress", remains: "9" },
    { status: "Canceled", remains: "1000" },
  ]) {
    const { provider, before } = await heldOrders(1);
    const [order] = before as [Order];
    const decided = { fulfillment: "queued", providerOrderId: null } as const;
    providerReplies(async () => {
      await change(order.id, decided);
      return Response.json({ [idThere(order.id)]: says });
    });
    await syncHeld(linkTo(provider));
    expect(await readOrder(order.id)).toEqual({ ...order, ...decided });
  }
});

test("releases the other held orders when one can't be stored", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { provider, before } = await heldOrders(2);
  const [first, second] = before.map(({ id }) => id);
  const lift = await refuseUpdates("orders", `new.id = ${second}`);
  const entry = { status: "In progress", remains: "9" };
  providerReplies(() => Response.json({ [idThere(first)]: entry, [idThere(second)]: entry }));
  await syncHeld(linkTo(provider));
  await lift();
  expect(await readOrder(first ?? 0)).toMatchObject({ fulfillment: "accepted", remains: 9 });
  expect(await readOrder(second ?? 0)).toEqual(before[1]);
});

test("ends a round of held orders at the first that can't be stored because the database is unavailable", async () => {
  const { provider, before } = await heldOrders(2);
  const stalled = stalls();
  const entry = { status: "In progress", remains: "9" };
  providerReplies(() => {
    stalled.losingAnswers();
    return Response.json(Object.fromEntries(before.map(({ id }) => [idThere(id), entry])));
  });
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await expect(syncHeld(linkTo(provider, standing))).rejects.toSatisfy(isUnavailable);
  expect(stalled.calls).toBe(1);
  await stalled.end();
});

test("asks for held orders again after five minutes if the provider or the database gave no answer", async () => {
  const { provider, before } = await heldOrders(1);
  const stalled = stalls();
  const entry = { status: "In progress", remains: "9" };
  const failures: [string, () => Promise<unknown>][] = [
    [
      "the provider refuses all calls",
      async () => providerReplies(() => Response.json({ error: "Too many requests" })),
    ],
    [
      "the provider's answer has no end",
      async () => providerReplies(() => Response.json({ remains: " ".repeat(2 * 1024 * 1024) })),
    ],
    ["the provider doesn't respond", async () => providerReplies(() => new Response(null, { status: 503 }))],
    [
      "the database loses answers",
      async () =>
        providerReplies(() => {
          stalled.losingAnswers();
          return Response.json({ [idThere(before[0]?.id)]: entry });
        }),
    ],
  ];
  for (const [failure, begin] of failures) {
    await begin();
    const memory = newMemory();
    const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
    const began = Date.now();
    await runProvider(standing, env, provider.id, memory).catch(() => {});
    await stalled.end();
    expect(memory.heldFrom - began, failure).toBeLessThan(6 * 60_000);
    await db.update(providers).set({ failures: 0, openUntil: 0, pausedUntil: 0 }).where(eq(providers.id, provider.id));
  }
});

test("asks for held orders once an hour", async () => {
  const { providerId } = await heldWithId("strange");
  const memory = newMemory();
  const calls = vi.spyOn(globalThis, "fetch");
  for (let round = 0; round < 3; round++) await runProvider(db, env, providerId, memory);
  expect(calls).toHaveBeenCalledTimes(1);
  memory.heldFrom -= HOUR_MS;
  await runProvider(db, env, providerId, memory);
  expect(calls).toHaveBeenCalledTimes(2);
});

test("reads at most one row for held orders where there are none", async () => {
  const { providerId } = await placeOrders([sandboxLink("still")]);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  const { database, counts } = countedDatabase(env.DB);
  await syncHeld(linkTo(provider, connect(database)));
  expect(counts.rowsRead).toBeLessThanOrEqual(1);
});

test("sends an order whose call was cut off again, under the same key, where the provider honors keys", async () => {
  const { providerId, orderId } = await placedAtHonoring(sandboxLink("drop", crypto.randomUUID()));
  const keys = keysSent();
  await submitOrder(orderId);
  const waiting = await readOrder(orderId);
  expect(waiting).toMatchObject({ fulfillment: "queued", attempts: 1, providerOrderId: null });
  expect(waiting.leaseUntil).toBeGreaterThan(Date.now());
  await db.update(orders).set({ leaseUntil: 0 }).where(eq(orders.id, orderId));
  await submitOrder(orderId);
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", attempts: 2 });
  expect(keys()).toHaveLength(2);
  expect(new Set(keys()).size).toBe(1);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  expect(provider?.failures).toBe(0);
});

test("queues an order again whose submission was killed, where the provider honors keys", async () => {
  const { orderId } = await killedAtHonoring();
  await holdLostSubmissions(db);
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "queued", resendUntil: expect.any(Number) });
});

test("holds an order whose submission was killed if its call carried no key", async () => {
  const sentWithout = await placedAtHonoring(sandboxLink("still", crypto.randomUUID()));
  await db.update(orders).set({ fulfillment: "submitting", leaseUntil: 1 }).where(eq(orders.id, sentWithout.orderId));
  await holdLostSubmissions(db);
  expect(await readOrder(sentWithout.orderId)).toMatchObject({ fulfillment: "held" });
});

test("sends nothing by settings that staff have changed since", async () => {
  const { orderId, providerId } = await placedAtHonoring(sandboxLink("still", crypto.randomUUID()));
  const [before] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!before) throw new Error("provider not found");
  const calls = vi.spyOn(globalThis, "fetch");
  for (const change of [{ apiUrl: "https://other.example/api/v2" }, { encryptedKey: "other" }, { enabled: false }]) {
    await db.update(providers).set(change).where(eq(providers.id, providerId));
    await submitQueued(linkTo(before), newSending());
    const { apiUrl, encryptedKey, enabled } = before;
    await db.update(providers).set({ apiUrl, encryptedKey, enabled }).where(eq(providers.id, providerId));
  }
  expect(calls).not.toHaveBeenCalled();
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  await submitQueued(linkTo(before), newSending());
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", attempts: 1 });
});

test("cancels an order at once that a provider with keys was too busy to take", async () => {
  const { orderId, userId } = await placedAtHonoring(sandboxLink("429", crypto.randomUUID()));
  await submitOrder(orderId);
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "queued", resendUntil: null });
  await requestCancellation(db, env, { userId, isTest: false }, orderId);
  expect(await readOrder(orderId)).toMatchObject({ status: "Canceled" });
});

test("holds a cut-off order when its key has ended, its provider honors none, or its account was deleted", async () => {
  const changes = [
    { resendUntil: Date.now() - 1, heldFor: "cut_off" },
    { honors: false, heldFor: "cut_off" },
    { requestDigest: "", heldFor: "account_deleted" },
  ];
  for (const { heldFor, ...change } of changes) {
    const { orderId, providerId } = await placedAtHonoring(sandboxLink("drop", crypto.randomUUID()));
    await submitOrder(orderId);
    const { honors = true, ...fields } = change;
    await db
      .update(orders)
      .set({ leaseUntil: 0, ...fields })
      .where(eq(orders.id, orderId));
    await db.update(providers).set({ honorsIdempotencyKeys: honors }).where(eq(providers.id, providerId));
    const keys = keysSent();
    await submitOrder(orderId);
    expect(await readOrder(orderId)).toMatchObject({ fulfillment: "held", heldFor });
    expect(keys()).toEqual([]);
  }
});

test("refunds a cut-off order that waits to be sent again only when the provider agrees", async () => {
  const { orderId, userId } = await placedAtHonoring(sandboxLink("drop", crypto.randomUUID()));
  await submitOrder(orderId);
  expect(await requestCancellation(db, env, { userId, isTest: false }, orderId)).toEqual({ ok: true });
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "queued", status: "Pending", refunded: 0 });
});

test("refunds no order whose call was cut off since its cancellation was requested", async () => {
  const { orderId, userId } = await placedAtHonoring(sandboxLink("drop", crypto.randomUUID()));
  const before = await readOrder(orderId);
  await submitOrder(orderId);
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "queued" });
  const to = { status: "Canceled", remains: 1000, startCount: null, onlyWhile: "queued" } as const;
  expect(await closeOrder(db, env, before, to)).toBe(false);
  expect(await readBalance(db, userId)).toBe(MICRO - 900_000);
});

/** Places an order that the provider accepted and that is held since. The fault shows in its status. */
async function heldWithId(fault: "still" | "decimals" | "silent" | "strange" | "missing") {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink(fault, crypto.randomUUID())]);
  const [orderId = 0] = orderIds;
  await submitOrder(orderId);
  await db.update(orders).set({ fulfillment: "held", unreadableSince: 1 }).where(eq(orders.id, orderId));
  return { providerId, userId, orderId, theirs: (await readOrder(orderId)).providerOrderId };
}

/** Returns orders that are held under their ids, although 700 pieces of each remained when it was last asked for. */
async function heldOrders(count: number) {
  const links = Array.from({ length: count }, (_, n) => sandboxLink(null, n));
  const { providerId, orderIds } = await placeOrders(links);
  await acceptOrders(orderIds);
  const held = { fulfillment: "held", status: "In progress", remains: 700, startCount: 5, unreadableSince: 1 } as const;
  for (const id of orderIds) await change(id, held);
  return { provider: await readProvider(providerId), before: await Promise.all(orderIds.map(readOrder)) };
}

async function change(orderId: number | undefined, to: Partial<Order>): Promise<void> {
  await db
    .update(orders)
    .set(to)
    .where(eq(orders.id, orderId ?? 0));
}

async function placedAtHonoring(link: string) {
  const providerId = await sandboxProvider();
  await db.update(providers).set({ honorsIdempotencyKeys: true }).where(eq(providers.id, providerId));
  const { userId, orderIds } = await placeOrders([link], providerId);
  return { providerId, userId, orderId: orderIds[0] ?? 0 };
}

/** Kills the call that submits an order. The provider may have it. */
async function killedAtHonoring() {
  const placed = await placedAtHonoring(sandboxLink("drop", crypto.randomUUID()));
  await submitOrder(placed.orderId);
  await db.update(orders).set({ fulfillment: "submitting", leaseUntil: 1 }).where(eq(orders.id, placed.orderId));
  return placed;
}

/** Watches the idempotency keys of calls to providers, which the header and the body must agree on. */
function keysSent(): () => (string | null)[] {
  const calls = vi.spyOn(globalThis, "fetch");
  calls.mockClear();
  return () =>
    calls.mock.calls.flatMap(([, init]) => {
      if (!(init?.body instanceof URLSearchParams) || init.body.get("action") !== "add") return [];
      const key = init.body.get("request_id");
      expect(new Headers(init.headers).get("Idempotency-Key")).toBe(key);
      return [key];
    });
}
