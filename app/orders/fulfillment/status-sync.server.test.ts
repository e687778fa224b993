import { env } from "cloudflare:workers";
import { and, eq, inArray, sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { ledger, type Order, orders, providerLog, providers, serviceDays } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, isOneOf, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt, linkTo } from "#tests/workerd/provider-links.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { closeOrder } from "./close-order.server.ts";
import { syncHeld } from "./held-orders.server.ts";
import { newStatusCursor, syncStatuses } from "./status-sync.server.ts";

const CHARGE = 900_000;
const PASS_MS = 10 * 60_000;

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("completes every order of a service that has completed many", async () => {
  const many = atScale(5, 70);
  const { providerId, serviceId, orderIds } = await placeMany(many);
  await completeAll(orderIds, providerId);
  expect(await countsOf(serviceId)).toEqual({ c: many });
});

test("syncs the other orders when one status cannot be stored, and retries that one", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { providerId, orderIds } = await placeMany(3);
  const [failing = 0, ...rest] = orderIds;
  const lift = await refuseUpdates("orders", `new.id = ${failing} and new.status = 'Completed'`);
  await completeAll(rest, providerId);
  expect(await openOrders(orderIds)).toEqual([failing]);
  expect(errors).toHaveBeenCalledWith(expect.stringContaining(`"order":${failing}`));
  await lift();
  await completeAll(orderIds, providerId);
});

test("syncs other orders behind more failing ones than a call holds", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  // A call asks for a hundred, the newest first.
  const { orderIds, providerId } = await placeMany(101);
  await acceptOrders(orderIds);
  const last = orderIds[0] ?? 0;
  const isFailing = `new.provider_id = ${providerId} and new.id <> ${last}`;
  const lift = await refuseUpdates("orders", `${isFailing} and new.status <> old.status`);
  const calls = providerReplies(({ orders: ids = "" }) =>
    Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Completed" }]))),
  );
  await runFulfillment(providerId);
  expect(calls().map(({ orders: ids = "" }) => ids.split(",").length)).toEqual([100, 1]);
  expect(await openOrders(orderIds)).toEqual(orderIds.slice(1));
  await lift();
});

test.each(["Completed", "In progress"])(
  "marks no order as unreadable whose status, %s, was stored without an answer, and goes on later",
  async (status) => {
    const { providerId, orderIds } = await placeMany(2);
    await acceptOrders(orderIds);
    const stalled = stalls();
    let isLost = true;
    providerReplies(({ orders: ids = "" }) => {
      if (isLost) stalled.losingAnswers();
      return Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status, remains: "0" }])));
    });
    const sync = async () =>
      syncStatuses(await linkAt(providerId, connect(stalled.on(env.DB), undefined, stalled.wait)), newStatusCursor());
    await expect(sync()).rejects.toSatisfy(isUnavailable);
    await stalled.end();
    for (const id of orderIds)
      expect(await readOrder(id)).toMatchObject({ unreadableSince: 0, fulfillment: "accepted" });
    isLost = false;
    await sync();
    for (const id of orderIds) expect(await readOrder(id)).toMatchObject({ status, unreadableSince: 0 });
  },
);

test("marks no order as unreadable that was closed meanwhile", async () => {
  const { providerId, orderIds } = await placeMany(1);
  await acceptOrders(orderIds);
  const [orderId = 0] = orderIds;
  providerReplies(async () => {
    await closeOrder(db, env, await readOrder(orderId), { status: "Completed", remains: 0, startCount: null });
    return Response.json({ [idThere(orderId)]: { status: "Frobnicating" } });
  });
  await syncStatuses(await linkAt(providerId), newStatusCursor());
  expect(await readOrder(orderId)).toMatchObject({ status: "Completed", unreadableSince: 0 });
});

const COSTED = { cost: 450_000, costIsReported: false } as const;
const HELD = { fulfillment: "held", heldFor: "unreadable" } as const;
/** Nobody can tell what is to be refunded. */
const UNTOLD = { fulfillment: "held", heldFor: "no_remains" } as const;

/** Reports about an order of 1,000 pieces with 700 remaining, and what each one stores. */
const REPORTS: { says: Record<string, unknown>; order?: Partial<Order>; stored: Partial<Order> }[] = [
  {
    says: { status: "Processing", remains: "600", start_count: "8" },
    stored: { status: "Processing", remains: 600, startCount: 8 },
  },
  { says: { status: "Processing" }, stored: { status: "Processing", remains: 700, startCount: 5 } },
  { says: { status: "In progress", remains: "5000" }, stored: { remains: 1000 } },
  { says: { status: "In progress", remains: "5000" }, order: { runs: 3 }, stored: { remains: 3000 } },
  { says: { status: "In progress", remains: "699" }, stored: { remains: 699, startCount: 5 } },
  { says: { status: "In progress", start_count: "6" }, stored: { remains: 700, startCount: 6 } },
  { says: { status: "In progress" }, order: { unreadableSince: 1 }, stored: { remains: 700, unreadableSince: 0 } },
  { says: { status: "Completed", remains: "300" }, stored: { status: "Completed", remains: 0, refunded: 0 } },
  { says: { status: "Completed", start_count: 0 }, stored: { status: "Completed", remains: 0, startCount: 0 } },
  {
    says: { status: "Partial", remains: "500", start_count: "9" },
    order: { unreadableSince: 1 },
    stored: { status: "Partial", remains: 500, refunded: CHARGE / 2, startCount: 9, unreadableSince: 0 },
  },
  // It says that something is missing, and that nothing is.
  { says: { status: "Partial", remains: "0" }, stored: { status: "In progress", ...UNTOLD, refunded: 0 } },
  // More than was ordered may mean that nothing was delivered, and as well another order.
  { says: { status: "Partial", remains: "9999" }, stored: { status: "In progress", ...UNTOLD, refunded: 0 } },
  {
    says: { status: "Partial", remains: "2000" },
    order: { runs: 2 },
    stored: { status: "Partial", remains: 2000, refunded: CHARGE },
  },
  { says: { status: "Partial" }, stored: { status: "In progress", ...UNTOLD, refunded: 0 } },
  {
    says: { status: "Partial", orders: [1, 2] },
    order: { type: "Subscriptions", runs: 5, quantity: 200 },
    stored: { status: "Partial", remains: 600, refunded: (CHARGE / 5) * 3 },
  },
  {
    says: { status: "Partial", orders: [1, 2, 3] },
    order: { type: "Subscriptions", runs: 2, quantity: 500 },
    stored: { status: "Partial", remains: 0, refunded: 0 },
  },
  // Fields of one type of order decide nothing about another.
  { says: { status: "Partial", orders: [] }, stored: { status: "In progress", ...UNTOLD, refunded: 0 } },
  {
    says: { status: "Partial", remains: "300", orders: [1, 2] },
    order: { runs: 5, quantity: 100, intervalMinutes: 10 },
    stored: { status: "In progress", ...UNTOLD, refunded: 0 },
  },
  { says: { status: "Canceled", remains: "1000" }, stored: { status: "Canceled", remains: 1000, refunded: CHARGE } },
  { says: { status: "Canceled", remains: "250" }, stored: { status: "Canceled", remains: 250, refunded: CHARGE / 4 } },
  {
    says: { status: "Canceled", remains: 0, charge: 0 },
    stored: { status: "Canceled", remains: 1000, refunded: CHARGE, cost: 0, costIsReported: true },
  },
  {
    says: { status: "Canceled", charge: "0" },
    order: { runs: 2 },
    stored: { status: "Canceled", remains: 2000, refunded: CHARGE, cost: 0, costIsReported: true },
  },
  // Costs: the provider's own charge, or else the known cost of what was delivered.
  {
    says: { status: "In progress", charge: "0.4321" },
    order: COSTED,
    stored: { cost: 432_100, costIsReported: true },
  },
  { says: { status: "In progress", charge: 0.1 + 0.2 }, stored: { cost: 300_000, costIsReported: true } },
  { says: { status: "Processing", charge: "0" }, order: COSTED, stored: { status: "Processing" } },
  { says: { status: "Processing", charge: "free" }, order: COSTED, stored: { status: "Processing" } },
  {
    says: { status: "Completed", charge: "38.2", currency: "INR" },
    order: COSTED,
    stored: { status: "Completed", remains: 0 },
  },
  {
    says: { status: "Completed", charge: "0.44", currency: "USD" },
    order: COSTED,
    stored: { status: "Completed", remains: 0, cost: 440_000, costIsReported: true },
  },
  {
    says: { status: "Partial", remains: "500" },
    order: COSTED,
    stored: { status: "Partial", remains: 500, refunded: CHARGE / 2, cost: 225_000 },
  },
  {
    says: { status: "Partial", remains: "500", charge: "0.2" },
    order: COSTED,
    stored: { status: "Partial", remains: 500, refunded: CHARGE / 2, cost: 200_000, costIsReported: true },
  },
  {
    says: { status: "Canceled", remains: "1000" },
    order: COSTED,
    stored: { status: "Canceled", remains: 1000, refunded: CHARGE, cost: 0 },
  },
  { says: { status: "Canceled", remains: 0, charge: 0.5 }, stored: { ...UNTOLD, refunded: 0 } },
  { says: { status: "Canceled", remains: 0 }, stored: { status: "In progress", ...UNTOLD, refunded: 0 } },
];

test("stores what a provider reports of each order, and refunds what it did not deliver", async () => {
  const { providerId, orderIds } = await placeOrders(REPORTS.map((_, n) => sandboxLink(null, n)));
  await acceptOrders(orderIds);
  const cases = await Promise.all(
    REPORTS.map(async (report, n) => ({ ...report, before: await progressed(orderIds[n] ?? 0, report.order ?? {}) })),
  );
  const says = Object.fromEntries(cases.map(({ before, says }) => [idThere(before.id), says]));
  providerReplies(() => Response.json(says));
  const now = Date.now() + 1000;
  vi.spyOn(Date, "now").mockReturnValue(now);
  await syncStatuses(await linkAt(providerId), newStatusCursor());
  for (const { says, before, stored } of cases) {
    expect(await readOrder(before.id), JSON.stringify(says)).toEqual({
      ...before,
      ...stored,
      history: expect.any(String),
      updatedAt: now,
    });
    const refund = and(eq(ledger.orderId, before.id), eq(ledger.kind, "refund"));
    expect(await db.$count(ledger, refund), JSON.stringify(says)).toBe(stored.refunded ? 1 : 0);
  }
});

test("writes nothing where nothing changed, and names the status only where that did", async () => {
  const { orderId, provider, before } = await tracked({});
  let says = { status: "In progress", remains: "700", start_count: "5" };
  providerReplies(() => Response.json({ [idThere(orderId)]: says }));
  const link = linkTo(provider);
  const sync = () => syncStatuses(link, newStatusCursor());
  const isOurs = `new.id = ${orderId}`;
  const lift = await refuseUpdates("orders", isOurs);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  await sync();
  expect(errors).not.toHaveBeenCalled();
  await lift();
  // The indexes that contain the status are written whenever a statement names it.
  const name = "status_named";
  const refuse = "begin select raise(abort, 'refused by a test'); end";
  await env.DB.prepare(`create trigger ${name} before update of status on orders when ${isOurs} ${refuse}`).run();
  says = { ...says, remains: "650" };
  await sync();
  expect(errors).not.toHaveBeenCalled();
  expect(await readOrder(orderId)).toMatchObject({ ...before, remains: 650, updatedAt: expect.any(Number) });
  await env.DB.prepare(`drop trigger ${name}`).run();
});

test.for([
  ["an error", { error: "Incorrect order ID" }, '{"error":"Incorrect order ID"}'],
  ["an unknown status", { status: "Awaiting moon" }, '{"status":"Awaiting moon"}'],
  ["a word that every object knows", { status: "Constructor" }, '{"status":"Constructor"}'],
  ["nothing", undefined, "missing"],
  ["a long text", "x".repeat(20_000), `"${"x".repeat(3999)}`],
] as const)("logs once that its provider says %s, and holds the order after an hour", async ([_, says, logged]) => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { orderId, provider, before } = await tracked({});
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  providerReplies(() => Response.json({ [idThere(orderId)]: says }));
  const link = linkTo(provider);
  const sync = () => syncStatuses(link, newStatusCursor());
  await sync();
  const unreadable = { ...before, unreadableSince: now };
  expect(await readOrder(orderId)).toEqual(unreadable);
  clock.mockReturnValue(now + HOUR_MS);
  await sync();
  expect(await readOrder(orderId)).toEqual(unreadable);
  clock.mockReturnValue(now + HOUR_MS + 1);
  await sync();
  const held = {
    fulfillment: "held",
    heldFor: "unreadable",
    history: expect.stringMatching(/y\d+$/),
    updatedAt: now + HOUR_MS + 1,
  };
  expect(await readOrder(orderId)).toEqual({ ...unreadable, ...held });
  const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, orderId));
  expect(rows).toMatchObject([{ providerId: provider.id, action: "status", response: logged, createdAt: now }]);
});

test.for(["In progress", "Completed"])(
  "marks an order unreadable whose status %s can't be stored, and holds it after an hour",
  async (status) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "log").mockImplementation(() => {});
    const { orderId, provider, before } = await tracked({});
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    providerReplies(() => Response.json({ [idThere(orderId)]: { status, remains: "600" } }));
    const lift = await refuseUpdates("orders", `new.id = ${orderId} and new.remains <> old.remains`);
    const link = linkTo(provider);
    const sync = () => syncStatuses(link, newStatusCursor());
    await sync();
    expect(await readOrder(orderId)).toEqual({ ...before, unreadableSince: now });
    clock.mockReturnValue(now + HOUR_MS + 1);
    await sync();
    expect(await readOrder(orderId)).toMatchObject({ ...HELD, remains: 700, unreadableSince: now });
    await lift();
    expect(errors).toHaveBeenCalledTimes(2);
    const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, orderId));
    expect(rows.map(({ action, response }) => [action, JSON.parse(response)])).toMatchObject([
      ["status", { status, remains: 600 }],
    ]);
  },
);

test("holds the orders of a provider that has given no readable answer for a day, and lets them go on once it does", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { orderId, provider } = await tracked({});
  let page = true;
  providerReplies(() =>
    page ? new Response("<html>Moved</html>") : Response.json({ [idThere(orderId)]: { status: "In progress" } }),
  );
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  await db
    .update(orders)
    .set({ createdAt: now - HOUR_MS })
    .where(eq(orders.id, orderId));
  const cursor = newStatusCursor();
  for (const [hours, fulfillment] of [
    [0, "accepted"],
    [23, "accepted"],
    [24.1, "held"],
  ] as const) {
    clock.mockReturnValue(now + hours * HOUR_MS);
    cursor.passStartedAt = 0;
    await syncStatuses(linkTo({ ...provider, openUntil: 0 }), cursor);
    expect(await readOrder(orderId)).toMatchObject({ fulfillment });
  }
  expect(await readOrder(orderId)).toMatchObject(HELD);
  page = false;
  await syncHeld(linkTo({ ...provider, openUntil: 0 }));
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", heldFor: null });
});

test("goes on in the next round behind the orders that were asked about alone", async () => {
  const { orderIds, providerId } = await placeOrders(
    Array.from({ length: 90 }, (_, n) => sandboxLink("still", `alone-${n}`)),
  );
  await acceptOrders(orderIds);
  await db
    .update(providers)
    .set({ dialect: { status: "one" } })
    .where(eq(providers.id, providerId));
  const calls = providerReplies(({ order = "" }) => Response.json({ [order]: { status: "In progress" } }));
  const cursor = newStatusCursor();
  expect(await syncStatuses(await linkAt(providerId), cursor)).toEqual({ open: true, soon: true });
  expect(calls()).toHaveLength(80);
  await syncStatuses(await linkAt(providerId), cursor);
  expect(new Set(calls().map(({ order }) => order)).size).toBe(90);
  expect(await db.$count(orders, sql`provider_id = ${providerId} and status = 'In progress'`)).toBe(90);
});

test("forgets that an order couldn't be stored once it is", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { orderId, provider } = await tracked({});
  providerReplies(() => Response.json({ [idThere(orderId)]: { status: "In progress", remains: "600" } }));
  const lift = await refuseUpdates("orders", `new.id = ${orderId} and new.remains <> old.remains`);
  const link = linkTo(provider);
  const sync = () => syncStatuses(link, newStatusCursor());
  await sync();
  await lift();
  await sync();
  expect(await readOrder(orderId)).toMatchObject({ fulfillment: "accepted", remains: 600, unreadableSince: 0 });
});

test("asks only for the provider's own accepted orders that are open, newest first", async () => {
  const names = ["first", "second", "held", "queued", "completed"];
  const { providerId, orderIds } = await placeOrders(names.map((name) => sandboxLink(null, name)));
  const elsewhere = await placeOrders([sandboxLink(null, "elsewhere")]);
  await acceptOrders([...orderIds, ...elsewhere.orderIds]);
  const [first, second, held = 0, queued = 0, completed = 0] = orderIds;
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, held));
  await db.update(orders).set({ fulfillment: "queued" }).where(eq(orders.id, queued));
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, completed));
  const calls = providerReplies(({ orders: ids = "" }) =>
    Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "Pending" }]))),
  );
  // The pass over older orders asks for none that was asked for as a recent one.
  expect(await syncStatuses(await linkAt(providerId), newStatusCursor())).toEqual({
    open: true,
    soon: true,
  });
  expect(calls()).toEqual([{ action: "status", orders: `${idThere(second)},${idThere(first)}` }]);
});

test.for([
  ["no order", null, { open: false, soon: false }, [0, 0]],
  ["an order of less than an hour", HOUR_MS - 1, { open: true, soon: true }, [1, 1]],
  ["an order of an hour", HOUR_MS, { open: true, soon: false }, [1, 0]],
] as const)("asks for %s as often as its customer watches it", async ([_, age, expected, asked]) => {
  const { orderId, provider } = await tracked({});
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  const change = age === null ? ({ status: "Completed" } as const) : { createdAt: now - age };
  await db.update(orders).set(change).where(eq(orders.id, orderId));
  const calls = providerReplies(() => Response.json({ [idThere(orderId)]: { status: "In progress" } }));
  const cursor = newStatusCursor();
  const counts: number[] = [];
  for (const at of [now, now + PASS_MS - 1]) {
    clock.mockReturnValue(at);
    await db
      .update(orders)
      .set({ createdAt: at - (age ?? 0) })
      .where(eq(orders.id, orderId));
    const before = calls().length;
    expect(await syncStatuses(linkTo(provider), cursor)).toEqual(expected);
    counts.push(calls().length - before);
    expect(cursor).toEqual({ ...newStatusCursor(), passStartedAt: now });
  }
  expect(counts).toEqual(asked);
  // The next pass over older orders.
  clock.mockReturnValue(now + PASS_MS);
  await syncStatuses(linkTo(provider), cursor);
  expect(cursor.passStartedAt).toBe(now + PASS_MS);
  expect(calls()).toHaveLength(asked[0] + asked[1] + (age === null ? 0 : 1));
});

test("counts each order once, by how it ended first", async () => {
  const { orderId, provider, before } = await tracked({});
  const person = await tracked({});
  for (const [one, isClosedBefore] of [
    [{ orderId, provider, before }, false],
    [person, true],
  ] as const) {
    providerReplies(async () => {
      const end = { status: "Canceled", remains: 1000, startCount: null } as const;
      if (isClosedBefore) await closeOrder(db, env, one.before, end);
      return Response.json({ [idThere(one.orderId)]: { status: "Completed" } });
    });
    await syncStatuses(linkTo(one.provider), newStatusCursor());
    expect(await countsOf(one.before.serviceId)).toEqual(isClosedBefore ? { x: 1 } : { c: 1 });
    vi.restoreAllMocks();
  }
});

test("stores the progress of the other orders when that of one is refused, with and without a new status", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { providerId, orderIds } = await placeOrders([1, 2, 3, 4].map((name) => sandboxLink(null, name)));
  await acceptOrders(orderIds);
  const [refused = 0, refusedToo = 0, same = 0, moved = 0] = orderIds;
  const lift = await refuseUpdates("orders", `new.id in (${refused}, ${refusedToo})`);
  const statuses = { [refused]: "Pending", [refusedToo]: "Processing", [same]: "Pending", [moved]: "Processing" };
  providerReplies(() =>
    Response.json(Object.fromEntries(orderIds.map((id) => [idThere(id), { status: statuses[id], remains: "9" }]))),
  );
  await syncStatuses(await linkAt(providerId), newStatusCursor());
  await lift();
  // Each of the two can neither be stored nor be marked unreadable.
  expect(errors).toHaveBeenCalledTimes(4);
  for (const [id, remains, status] of [
    [refused, 1000, "Pending"],
    [refusedToo, 1000, "Pending"],
    [same, 9, "Pending"],
    [moved, 9, "Processing"],
  ] as const) {
    expect(await readOrder(id)).toMatchObject({ remains, status });
  }
});

/** Returns the counts of a service's ended orders by ending. */
async function countsOf(serviceId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { ended } of await db.select().from(serviceDays).where(eq(serviceDays.serviceId, serviceId))) {
    for (const [name, count] of Object.entries(ended)) {
      expect(count).toSatisfy(Number.isInteger);
      counts[name.charAt(0)] = (counts[name.charAt(0)] ?? 0) + count;
    }
  }
  return counts;
}

/** Returns an order of which 700 pieces remain at its provider, which started at 5. */
async function tracked(change: Partial<Order>): Promise<{ orderId: number; provider: Provider; before: Order }> {
  const { providerId, orderIds } = await placeOrders([sandboxLink(null, crypto.randomUUID())]);
  await acceptOrders(orderIds);
  const [orderId = 0] = orderIds;
  return { orderId, provider: await readProvider(providerId), before: await progressed(orderId, change) };
}

async function progressed(orderId: number, change: Partial<Order>): Promise<Order> {
  const progress = { status: "In progress", remains: 700, startCount: 5, ...change } as const;
  await db.update(orders).set(progress).where(eq(orders.id, orderId));
  return readOrder(orderId);
}

/** Places orders that are completed once they were asked for twice. */
async function placeMany(count: number) {
  const placed = await placeOrders(Array.from({ length: count }, (_, n) => sandboxLink("quick", n)));
  const { serviceId } = await readOrder(placed.orderIds[0] ?? 0);
  return { ...placed, serviceId };
}

/** Runs fulfillment until all orders are completed. */
async function completeAll(orderIds: number[], providerId: number): Promise<void> {
  await vi.waitUntil(
    async () => {
      await runFulfillment(providerId);
      return (await openOrders(orderIds)).length === 0;
    },
    { timeout: 90_000, interval: 10 },
  );
}

async function openOrders(orderIds: number[]): Promise<number[]> {
  const open = and(isOneOf(orderIds), inArray(orders.status, [...OPEN_STATUSES]));
  return (await db.select({ id: orders.id }).from(orders).where(open)).map(({ id }) => id);
}
