import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providerLog, providers, refills } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import { copyOrder, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt, linkTo } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { newMemory } from "./dispatcher-memory.server.ts";
import { syncHeld } from "./held-orders.server.ts";
import { syncHeldRefills, syncRefills } from "./refill-status-sync.server.ts";
import { newStatusCursor, syncStatuses } from "./status-sync.server.ts";
import { newSending, type Sending, submitQueued, waitingUser } from "./submission.server.ts";

/** A status call names a hundred orders at most. */
const COUNT = atScale(150, 250);
const CALLS = atScale(0, 1) ? [100, 100, 50] : [100, 50];

afterEach(() => void vi.restoreAllMocks());

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});

test("asks for each of many recent orders once in a round, a hundred in a call", async () => {
  const provider = await withOrders({ createdAt: Date.now() });
  const asked = askedFor("orders");
  // Not due for a pass over the older ones.
  const cursor = { ...newStatusCursor(), passStartedAt: Date.now() };
  expect(await syncStatuses(linkTo(provider), cursor)).toEqual({ open: true, soon: true });
  expect(asked().map((ids) => ids.length)).toEqual(CALLS);
  expect(new Set(asked().flat()).size).toBe(COUNT);
  expect(await inProgress(provider)).toBe(COUNT);
});

test("asks for each of many older orders once in a pass", async () => {
  const provider = await withOrders({ createdAt: Date.now() - 2 * HOUR_MS });
  const asked = askedFor("orders");
  const cursor = newStatusCursor();
  expect(await syncStatuses(linkTo(provider), cursor)).toEqual({ open: true, soon: false });
  expect(asked().map((ids) => ids.length)).toEqual(CALLS);
  expect(await inProgress(provider)).toBe(COUNT);
  // The next pass starts ten minutes later.
  await syncStatuses(linkTo(provider), cursor);
  expect(asked()).toHaveLength(CALLS.length);
  cursor.passStartedAt -= 10 * 60_000;
  await syncStatuses(linkTo(provider), cursor);
  expect(asked()).toHaveLength(2 * CALLS.length);
});

test("goes on with a pass over more than a thousand older orders in the next round, where it stopped", async () => {
  const provider = await withOrders({ createdAt: Date.now() - 2 * HOUR_MS }, 1150);
  const asked = askedFor("orders");
  const cursor = newStatusCursor();
  expect(await syncStatuses(linkTo(provider), cursor)).toEqual({ open: true, soon: true });
  expect(asked()).toHaveLength(10);
  expect(await syncStatuses(linkTo(provider), cursor)).toEqual({ open: true, soon: false });
  expect(asked()).toHaveLength(12);
  expect(new Set(asked().flat()).size).toBe(1150);
});

test("asks for each of many held orders, and lets them go on", async () => {
  const provider = await withOrders({ fulfillment: "held" });
  const asked = askedFor("orders");
  await syncHeld(linkTo(provider));
  expect(asked().map((ids) => ids.length)).toEqual(CALLS);
  expect(await inProgress(provider)).toBe(COUNT);
});

test("goes on where it stopped with held orders and refills that are asked about one by one", async () => {
  const { id } = await withOrders({ fulfillment: "held" }, 200);
  await db
    .update(providers)
    .set({ dialect: { status: "one", refill_status: "one" } })
    .where(eq(providers.id, id));
  const now = sql`cast(${Date.now()} as integer)`;
  await db.run(sql`insert into refills (order_id, user_id, provider_id, fulfillment, status, provider_refill_id, created_at, updated_at)
    select id, user_id, provider_id, 'held', 'Pending', 'r' || id, ${now}, ${now} from orders where provider_id = ${id}`);
  // None can be read, so all stay held.
  const calls = providerReplies(() => Response.json({ note: "?" }));
  const cursor = { order: null, refill: null };
  const asked = async (parameter: "order" | "refill", sync: typeof syncHeld) => {
    const before = calls().length;
    const isWhole = await sync(linkTo({ ...(await readProvider(id)), concurrentCalls: 5 }), cursor);
    // A round also tries a list once.
    return {
      ids: calls()
        .slice(before)
        .map((call) => call[parameter])
        .filter(Boolean),
      isWhole,
    };
  };
  for (const [parameter, sync] of [
    ["order", syncHeld],
    ["refill", syncHeldRefills],
  ] as const) {
    const rounds = [await asked(parameter, sync), await asked(parameter, sync), await asked(parameter, sync)];
    expect(rounds.map(({ ids, isWhole }) => [ids.length, isWhole])).toEqual([
      [80, false],
      [80, false],
      [40, true],
    ]);
    expect(new Set(rounds.flatMap(({ ids }) => ids)).size).toBe(200);
    expect(cursor).toEqual({ order: null, refill: null });
  }
});

test("asks once for each of many held orders whose status still can't be read", async () => {
  const provider = await withOrders({ fulfillment: "held" });
  const calls = providerReplies(() => {
    if (calls().length > CALLS.length) throw new Error("asks for the same orders again");
    return Response.json({});
  });
  await syncHeld(linkTo(provider));
  expect(calls().flatMap((call) => call.orders?.split(",") ?? [])).toHaveLength(COUNT);
  expect(await db.$count(orders, sql`provider_id = ${provider.id} and fulfillment = 'held'`)).toBe(COUNT);
});

test("lets held orders go on that stand behind many whose ids spoil a whole call, within a few hours", async () => {
  const { id } = await withOrders({ fulfillment: "held", unreadableSince: 1 });
  const isSpoiling = (name: string) => Number(name.slice(1)) >= COUNT - 30;
  providerReplies(({ orders: ids = "" }) =>
    ids.split(",").some(isSpoiling) ? Response.json({ error: "Incorrect order ID" }) : inProgressFor(ids),
  );
  const provider = await readProvider(id);
  const link = linkTo(provider);
  // The order in which halves are asked for is random.
  for (let hour = 0; hour < 100 && (await inProgress(provider)) < COUNT - 30; hour++) await syncHeld(link);
  expect(await inProgress(provider)).toBe(COUNT - 30);
});

test("asks for each of many open refills", async () => {
  const provider = await withOrders({ status: "Completed", createdAt: Date.now() });
  const now = Date.now();
  await db.run(sql`insert into refills (order_id, user_id, provider_id, fulfillment, status, provider_refill_id, created_at, updated_at)
    select id, user_id, provider_id, 'accepted', 'Pending', 'r' || id, cast(${now} as integer), cast(${now} as integer)
    from orders where provider_id = ${provider.id}`);
  const asked = askedFor("refills");
  expect(await syncRefills(linkTo(provider))).toEqual({ open: true, recent: true });
  expect(asked().map((ids) => ids.length)).toEqual(CALLS);
  expect(new Set(asked().flat()).size).toBe(COUNT);
  expect(await db.$count(refills, eq(refills.status, "In progress"))).toBe(COUNT);
});

test("stores states of refills in a later round once this one has sent its statements", async () => {
  const provider = await withOrders({ status: "Completed", createdAt: Date.now() }, 3);
  const now = sql`cast(${Date.now()} as integer)`;
  await db.run(sql`insert into refills (order_id, user_id, provider_id, fulfillment, status, provider_refill_id, created_at, updated_at)
    select id, user_id, provider_id, 'accepted', 'Pending', 'q' || id, ${now}, ${now} from orders where provider_id = ${provider.id}`);
  const read = () =>
    db.$count(refills, sql`provider_id = ${provider.id} and (status <> 'Pending' or unreadable_since <> 0)`);
  for (const state of ["In progress", "a moon"]) {
    const statements = { sent: 0 };
    providerReplies(({ refills: ids = "" }) => {
      statements.sent = 850;
      return Response.json(ids.split(",").map((refill) => ({ refill, status: state })));
    });
    const link = linkTo(provider, db, { ...newMemory(), statements });
    expect(await syncRefills(link)).toEqual({ open: true, recent: true });
    expect(await read()).toBe(0);
  }
  await syncRefills(linkTo(provider, db, newMemory()));
  expect(await read()).toBe(3);
});

test("makes one call in a round to a provider that fails, and logs the first failure in a row", async () => {
  const { id } = await withOrders({ createdAt: Date.now() });
  let status = 502;
  const calls = providerReplies(() => (status === 200 ? Response.json({}) : new Response("", { status })));
  const cursor = { ...newStatusCursor(), passStartedAt: Date.now() };
  const round = async () => {
    const before = calls().length;
    expect(await syncStatuses(await linkAt(id), cursor)).toEqual({ open: true, soon: true });
    return [calls().length - before, await db.$count(providerLog, sql`provider_id = ${id} and order_id is null`)];
  };
  expect([await round(), await round()]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(await readProvider(id)).toMatchObject({ failures: 2 });
  status = 200;
  expect(await round()).toEqual([CALLS.length, 1]);
  expect(await readProvider(id)).toMatchObject({ failures: 0 });
  status = 429;
  expect(await round()).toEqual([1, 2]);
});

test("asks again for the older orders whose call failed, before it goes on with the pass", async () => {
  const { id } = await withOrders({ createdAt: Date.now() - 2 * HOUR_MS });
  let isDown = false;
  const calls = providerReplies(({ orders: ids = "" }) => {
    if (isDown) throw new Error("no route");
    isDown = calls().length === 1;
    return inProgressFor(ids);
  });
  const cursor = newStatusCursor();
  expect(await syncStatuses(await linkAt(id), cursor)).toEqual({ open: true, soon: true });
  isDown = false;
  expect(await syncStatuses(await linkAt(id), cursor)).toEqual({ open: true, soon: false });
  const asked = calls().map((call) => call.orders);
  expect(asked).toHaveLength(CALLS.length + 1);
  expect(asked[2]).toBe(asked[1]);
  expect(await inProgress(await readProvider(id))).toBe(COUNT);
});

test("asks for nothing while the provider rests", async () => {
  const provider = await withOrders({ createdAt: Date.now() });
  const calls = providerReplies(() => Response.json({}));
  const resting = { ...provider, openUntil: Date.now() + HOUR_MS };
  expect(await syncStatuses(linkTo(resting), newStatusCursor())).toEqual({ open: false, soon: true });
  await syncHeld(linkTo(resting));
  expect(calls()).toEqual([]);
});

for (const [when, createdAt] of [
  ["recent", Date.now()],
  ["older", Date.now() - 2 * HOUR_MS],
] as const) {
  test(`follows the ${when} orders behind many whose ids spoil a whole call, within a few rounds`, async () => {
    const { id } = await withOrders({ createdAt });
    const isSpoiling = (name: string) => Number(name.slice(1)) >= COUNT - 30;
    const calls = providerReplies(({ orders: ids = "" }) =>
      ids.split(",").some(isSpoiling) ? Response.json({ error: "Incorrect order ID" }) : inProgressFor(ids),
    );
    const cursor = newStatusCursor();
    for (let round = 0; round < 12; round++) {
      const before = calls().length;
      cursor.passStartedAt = 0;
      await syncStatuses(await linkAt(id), cursor);
      expect(calls().length - before).toBeLessThan(50);
    }
    expect(await inProgress(await readProvider(id))).toBe(COUNT - 30);
    expect(await db.$count(orders, sql`provider_id = ${id} and unreadable_since > 0`)).toBe(30);
  });
}

test("waits longer after each unknown outcome of different customers, up to ten minutes", async () => {
  const providerId = await sandboxProvider();
  for (let n = 0; n < 12; n++) await placeOrders([sandboxLink(null, `odd-${n}`)], providerId);
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  const calls = providerReplies(() => Response.json({ error: "Something odd" }));
  const sending = newSending();
  const seconds: number[] = [];
  for (let n = 1; n <= 12; n++) {
    sending.from = 0;
    await submitOne(providerId, sending);
    expect(calls()).toHaveLength(n);
    seconds.push((sending.from - now) / 1000);
  }
  expect(seconds).toEqual([10, 10, 10, 10, 10, 20, 40, 80, 160, 320, 600, 600]);
});

test("lets only the customer with unknown outcomes wait longer, until an order of theirs is accepted", async () => {
  const providerId = await sandboxProvider();
  const links = Array.from({ length: 9 }, (_, n) => sandboxLink(null, `own-${n}`));
  const { userId } = await placeOrders(links, providerId);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  let id = 0;
  const isOdd = (link = "") => link.includes("own-") && id === 0;
  providerReplies(({ link }) => Response.json(isOdd(link) ? { error: "Something odd" } : { order: ++id }));
  const sending = newSending();
  const seconds: number[][] = [];
  for (let n = 0; n < 8; n++) {
    sending.from = 0;
    if (sending.suspect) sending.suspect.from = 0;
    await submitOne(providerId, sending);
    seconds.push([sending.from, sending.suspect?.from ?? 0].map((at) => (at - now) / 1000));
  }
  expect(seconds).toEqual([10, 10, 10, 10, 10, 20, 40, 80].map((own) => [10, own]));
  expect(waitingUser(sending)).toBe(userId);
  const other = await placeOrders([sandboxLink(null, "other")], providerId);
  sending.from = 0;
  await submitOne(providerId, sending);
  expect(await readOrder(other.orderIds[0] ?? 0)).toMatchObject({ fulfillment: "accepted" });
  expect(sending).toMatchObject({ from: 0, unknown: 0, hasAccepted: true, suspect: { userId, unknown: 8 } });
  clock.mockReturnValue(now + 80_000);
  expect(waitingUser(sending)).toBeNull();
  await submitOne(providerId, sending);
  expect(sending).toMatchObject({ from: 0, unknown: 0, suspect: null });
});

test("sends the orders behind many that their provider puts off for their link, and none after a busy one", async () => {
  const many = atScale(12, 100);
  const links = Array.from({ length: many }, (_, n) => sandboxLink(null, `taken-${n}`));
  const { providerId, orderIds } = await placeOrders([...links, sandboxLink(null, "free")]);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  let error = "You have active order with this link";
  const calls = providerReplies(({ link = "" }) => Response.json(link.includes("taken") ? { error } : { order: 1 }));
  const sending = newSending();
  await submitOne(providerId, sending);
  expect(calls()).toHaveLength(many + 1);
  expect(sending).toMatchObject({ from: 0, hasAccepted: true });
  const [first = 0] = orderIds;
  expect(await readOrder(first)).toMatchObject({ fulfillment: "queued", attempts: 1, leaseUntil: now + 10_000 });
  clock.mockReturnValue(now + 9999);
  await submitOne(providerId, sending);
  expect(calls()).toHaveLength(many + 1);
  clock.mockReturnValue(now + 10_000);
  error = "Too many requests";
  await submitOne(providerId, sending);
  expect(calls()).toHaveLength(many + 2);
  expect(sending.from).toBe(now + 20_000);
  expect(await readOrder(first)).toMatchObject({ fulfillment: "queued", attempts: 2, leaseUntil: now + 30_000 });
});

/** Submits what is due, one order at a time, at a provider whose breaker is closed. */
async function submitOne(providerId: number, sending: Sending): Promise<void> {
  const provider = { ...(await readProvider(providerId)), concurrentCalls: 1, failures: 0, openUntil: 0 };
  await submitQueued(linkTo(provider), sending);
}

/** Returns a provider with this many accepted orders. */
async function withOrders(change: Partial<Order>, count = COUNT): Promise<Provider> {
  const { providerId, orderIds } = await placeOrders([sandboxLink(null)]);
  const [first = 0] = orderIds;
  const accepted = { fulfillment: "accepted", providerOrderId: "p0", ...change } as const;
  await db.update(orders).set(accepted).where(eq(orders.id, first));
  await copyOrder(first, count - 1);
  return readProvider(providerId);
}

/** Responds to every id of a call with "In progress". The returned function lists the ids by call. */
function askedFor(field: "orders" | "refills"): () => string[][] {
  const calls: string[][] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const ids = (new URLSearchParams(init?.body as URLSearchParams).get(field) ?? "").split(",");
    calls.push(ids);
    const statuses = ids.map((id) => ({ refill: id, status: "In progress" }));
    return Response.json(
      field === "refills"
        ? statuses
        : Object.fromEntries(ids.map((id) => [id, { status: "In progress", remains: "9" }])),
    );
  });
  return () => calls;
}

function inProgressFor(ids: string): Response {
  return Response.json(Object.fromEntries(ids.split(",").map((id) => [id, { status: "In progress", remains: "9" }])));
}

function inProgress({ id }: Provider): Promise<number> {
  return db.$count(
    orders,
    sql`provider_id = ${id} and status = 'In progress' and remains = 9 and fulfillment = 'accepted'`,
  );
}
