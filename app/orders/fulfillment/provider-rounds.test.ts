import { env } from "cloudflare:workers";
import { and, count, eq, inArray, ne, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, inject, test, vi } from "vitest";
import { orders, providers, providerUseDays } from "#app/db/schema.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { type DispatcherMemory, keptOf, newMemory } from "./dispatcher-memory.server.ts";
import { connectRound, runProvider } from "./provider-round.server.ts";
import { newSending, Submission, UNKNOWN_IN_A_ROW } from "./submission.server.ts";

const WAIT = { timeout: 90_000, interval: 50 };
/** A port on which nothing listens. */
const DEAD_URL = "http://127.0.0.1:9/api/v2";

beforeEach(() => {
  for (const level of ["error", "warn"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("stores a change of a recent order in the round after it", async () => {
  const { providerId, orderIds } = await placeOrders([sandboxLink("quick", "changes")]);
  const [orderId = 0] = orderIds;
  const memory = newMemory();
  await runProvider(db, env, providerId, memory);
  const { providerOrderId, status } = await readOrder(orderId);
  expect(status).toBe("Pending");
  await vi.waitUntil(async () => (await statusThere(providerOrderId)) === "Completed", WAIT);
  await nextRound(providerId, memory);
  expect(await readOrder(orderId)).toMatchObject({ status: "Completed" });
});

test("asks for recent orders in every round, and for those older than an hour every ten minutes", async () => {
  const { providerId, orderIds } = await placeOrders([sandboxLink("still", "old"), sandboxLink("still", "recent")]);
  const memory = newMemory();
  await runProvider(db, env, providerId, memory);
  const [old = 0, recent = 0] = orderIds;
  await db
    .update(orders)
    .set({ createdAt: Date.now() - 61 * MINUTE_MS })
    .where(eq(orders.id, old));
  const asked = idsAskedFor();
  const [oldId, recentId] = [(await readOrder(old)).providerOrderId, (await readOrder(recent)).providerOrderId];

  memory.statuses.passStartedAt = 0;
  await nextRound(providerId, memory);
  expect(asked()).toEqual([recentId, oldId]);
  await nextRound(providerId, memory);
  expect(asked()).toEqual([recentId]);
  memory.statuses.passStartedAt -= 10 * MINUTE_MS;
  await nextRound(providerId, memory);
  expect(asked()).toEqual([recentId, oldId]);
});

test("keeps orders queued through an outage of ten minutes, and then sends all of them", async () => {
  const many = atScale(151, 200);
  const links = Array.from({ length: many }, (_, n) => sandboxLink("still", `outage-${n}`));
  const providerId = await sandboxProvider();
  const { orderIds } = await placeOrders(links, providerId);
  await db.update(providers).set({ apiUrl: DEAD_URL, failures: 5 }).where(eq(providers.id, providerId));
  const memory = newMemory();
  for (let minute = 0; minute < 10; minute++) {
    await nextRound(providerId, memory);
    expect(await countByState(orderIds)).toEqual({ queued: many });
  }
  await db
    .update(providers)
    .set({ apiUrl: inject("sandbox").url })
    .where(eq(providers.id, providerId));
  await vi.waitUntil(async () => {
    await nextRound(providerId, memory);
    return (await countByState(orderIds)).queued === undefined;
  }, WAIT);
  expect(await countByState(orderIds)).toEqual({ accepted: many });
  expect(await db.$count(orders, and(eq(orders.providerId, providerId), ne(orders.attempts, 1)))).toBe(0);
});

test("goes on in the next round before the statements of an invocation run out", async () => {
  const { providerId, orderIds: open } = await placeOrders(links("still", 100));
  await acceptOrders(open);
  const { orderIds: queued } = await placeOrders(links("still", 100), providerId);
  let id = 0;
  providerReplies(({ orders: ids = "" }) =>
    Response.json(
      ids === ""
        ? { order: ++id }
        : Object.fromEntries(ids.split(",").map((one) => [one, { status: "Partial", remains: 1 }])),
    ),
  );
  const memory = newMemory();
  const round = async () => {
    memory.statusesAt = 0;
    const dueIn = await runProvider(connectRound(env.DB, memory), env, providerId, memory);
    expect(memory.statements.sent).toBeLessThan(1000);
    return dueIn;
  };
  expect(await round()).toBe(0);
  expect(memory.statements.sent).toBeGreaterThanOrEqual(850);
  const ended = and(eq(orders.providerId, providerId), eq(orders.status, "Partial"));
  expect(await db.$count(orders, ended)).toBeLessThan(100);
  for (let more = 0; more < 5; more++) await round();
  expect(await countByState([...open, ...queued])).toEqual({ accepted: 200 });
  expect(await db.$count(orders, ended)).toBe(200);
});

test("counts the calls of a day and those that failed, about once a minute while it is busy", async () => {
  const providerId = await sandboxProvider();
  const stored = () => db.select().from(providerUseDays).where(eq(providerUseDays.providerId, providerId));
  const memory = newMemory();
  await runProvider(db, env, providerId, memory);
  expect(await stored()).toEqual([]);

  await placeOrders(links("still", 3), providerId);
  await nextRound(providerId, memory);
  await nextRound(providerId, memory);
  const [first] = await stored();
  expect(first?.calls).toBeGreaterThanOrEqual(3);
  expect(first?.errors).toBe(0);
  expect(memory.tally.calls).toBeGreaterThan(0);

  const waiting = memory.tally.calls;
  memory.talliedAt -= MINUTE_MS;
  await db.update(providers).set({ apiUrl: DEAD_URL }).where(eq(providers.id, providerId));
  await nextRound(providerId, memory);
  const [second] = await stored();
  expect(second).toMatchObject({ calls: (first?.calls ?? 0) + waiting + 1, errors: 1 });
  expect(memory.tally).toEqual({ calls: 0, errors: 0 });
});

for (const [state, change] of [
  ["disabled", { enabled: false }],
  ["paused", { pausedFor: "funds", pausedUntil: Date.now() + 60 * MINUTE_MS }],
] as const) {
  test(`sends no order to a provider that is ${state}, and all of them afterwards`, async () => {
    const { providerId, orderIds } = await placeOrders(
      Array.from({ length: 12 }, (_, n) => sandboxLink("still", `${state}-${n}`)),
    );
    const memory = newMemory();
    await db.update(providers).set(change).where(eq(providers.id, providerId));
    await runProvider(db, env, providerId, memory);
    expect(await countByState(orderIds)).toEqual({ queued: 12 });
    await db.update(providers).set({ enabled: true, pausedUntil: 0 }).where(eq(providers.id, providerId));
    await nextRound(providerId, memory);
    expect(await countByState(orderIds)).toEqual({ accepted: 12 });
  });
}

test("runs no more calls at once than the provider's limit, in all steps of a round together", async () => {
  const providerId = await sandboxProvider();
  const accepted = await placeOrders(links("still", 3), providerId);
  const memory = newMemory();
  await runProvider(db, env, providerId, memory);
  const who = { userId: accepted.userId, isTest: false };
  for (const id of accepted.orderIds) await requestCancellation(db, env, who, id);
  await placeOrders(links("still", 10), providerId);
  await db.update(providers).set({ concurrentCalls: 2 }).where(eq(providers.id, providerId));
  const call = globalThis.fetch;
  let running = 0;
  let most = 0;
  let calls = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...args) => {
    calls++;
    most = Math.max(most, ++running);
    return call(...args).finally(() => running--);
  });
  await nextRound(providerId, memory);
  expect(most).toBe(2);
  // The new orders, the cancellations, and one call for the statuses.
  expect(calls).toBe(10 + 3 + 1);
});

test("sends an order that is placed while another call hangs", async () => {
  const { providerId } = await placeOrders([sandboxLink("mute", "hanging")]);
  const timeOut = timeOutOfCalls();
  const memory = newMemory();
  const round = runProvider(db, env, providerId, memory);
  await vi.waitUntil(async () => (await db.$count(orders, isSubmittingAt(providerId))) === 1, WAIT);
  const { orderIds } = await placeOrders([sandboxLink("still", "beside")], providerId);
  memory.send?.();
  await vi.waitUntil(async () => (await readOrder(orderIds[0] ?? 0)).fulfillment === "accepted", WAIT);
  expect(await db.$count(orders, isSubmittingAt(providerId))).toBe(1);
  timeOut();
  await round;
});

test("sends an order that is placed after the sending time, while another call still hangs", async () => {
  const { providerId } = await placeOrders([sandboxLink("mute", "late")]);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  const until = Date.now() + 8000;
  const timeOut = timeOutOfCalls();
  const submission = new Submission(linkTo(provider), newSending(), until);
  await vi.waitUntil(async () => (await db.$count(orders, isSubmittingAt(providerId))) === 1, WAIT);
  const clock = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => clock() + 8000);
  const { orderIds } = await placeOrders([sandboxLink("still", "later")], providerId);
  submission.more();
  await vi.waitUntil(async () => (await readOrder(orderIds[0] ?? 0)).fulfillment === "accepted", WAIT);
  expect(await db.$count(orders, isSubmittingAt(providerId))).toBe(1);
  timeOut();
  await submission.end();
});

test("follows recent orders while the call that sends another one hangs", async () => {
  const { providerId, orderIds } = await placeOrders([sandboxLink("quick", "followed")]);
  const timeOut = timeOutOfCalls();
  const memory = newMemory();
  await runProvider(db, env, providerId, memory);
  // Asked now, it is completed from now on. The next status call is due in a moment.
  expect(await statusThere((await readOrder(orderIds[0] ?? 0)).providerOrderId)).not.toBe("");
  memory.statusesAt = Date.now() - RECENT_ROUND_MS + 100;
  const { orderIds: mute } = await placeOrders([sandboxLink("mute", "unanswered")], providerId);
  const round = runProvider(db, env, providerId, memory);
  await vi.waitUntil(async () => (await readOrder(orderIds[0] ?? 0)).status === "Completed", WAIT);
  expect(await readOrder(mute[0] ?? 0)).toMatchObject({ fulfillment: "submitting" });
  timeOut();
  await round;
});

test("sends the orders of others while those of one customer have unknown outcomes", async () => {
  const providerId = await sandboxProvider();
  const odd = await placeOrders(links("vague", 12), providerId);
  const memory = newMemory();
  for (let round = 0; round < 8; round++) {
    await db.update(providers).set({ failures: 0 }).where(eq(providers.id, providerId));
    await nextRound(providerId, memory);
  }
  expect(memory.sending.unknown).toBeGreaterThan(UNKNOWN_IN_A_ROW);
  const { held } = await countByState(odd.orderIds);
  const others = await placeOrders(links("still", 3), providerId);
  await db.update(providers).set({ failures: 0, openUntil: 0 }).where(eq(providers.id, providerId));
  expect(memory.sending.from).toBeLessThanOrEqual(Date.now() + 10_000);
  memory.sending.from = 0;
  expect(JSON.stringify(keptOf(memory))).not.toContain(odd.userId);
  await runProvider(db, env, providerId, newMemory(keptOf(memory)));
  expect(await countByState(others.orderIds)).toEqual({ accepted: 3 });
  expect(await countByState(odd.orderIds)).toMatchObject({ held });
});

test("keeps its back-offs when the memory is lost between two rounds, until the provider gets new settings", async () => {
  const { providerId, orderIds } = await placeOrders(links("500", 12));
  const old = await placeOrders([sandboxLink("still", "old")], providerId);
  const memory = newMemory();
  await nextRound(providerId, memory);
  const accepted = { fulfillment: "accepted" as const, providerOrderId: crypto.randomUUID(), leaseUntil: 0 };
  await db
    .update(orders)
    .set({ ...accepted, createdAt: Date.now() - 61 * MINUTE_MS })
    .where(inArray(orders.id, old.orderIds));
  await db.update(providers).set({ failures: 0, openUntil: 0 }).where(eq(providers.id, providerId));
  memory.statusesAt = 0;
  memory.statuses.passStartedAt = 0;
  await runProvider(db, env, providerId, memory);
  const before = await countByState(orderIds);
  const calls = vi.spyOn(globalThis, "fetch");
  await runProvider(db, env, providerId, newMemory(keptOf(memory)));
  expect(calls).not.toHaveBeenCalled();
  expect(await countByState(orderIds)).toEqual(before);
  const { apiUrl } = (await db.select().from(providers).where(eq(providers.id, providerId)))[0] ?? {};
  await db
    .update(providers)
    .set({ apiUrl: `${apiUrl}?` })
    .where(eq(providers.id, providerId));
  const renewed = newMemory({ ...keptOf(memory), failingSince: 1, refillsFailingSince: 1 });
  await runProvider(db, env, providerId, renewed);
  expect(calls).toHaveBeenCalled();
  // Orders that an earlier address gave no answer about for a day are not held at once.
  expect([renewed.statuses.failingSince, renewed.refills.failingSince]).not.toContain(1);
});

test("makes no call for as long as a 429 asks for", async () => {
  const { providerId, orderIds } = await placeOrders([sandboxLink("wait", 1)]);
  const memory = newMemory();
  const before = Date.now();
  await runProvider(db, env, providerId, memory);
  expect(await countByState(orderIds)).toEqual({ queued: 1 });
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  expect(provider?.openUntil).toBeGreaterThanOrEqual(before + MINUTE_MS);
  expect(provider?.failures).toBe(0);
  const next = await placeOrders(links("still", 3), providerId);
  const calls = vi.spyOn(globalThis, "fetch");
  memory.sending.from = 0;
  memory.statusesAt = 0;
  expect(await runProvider(db, env, providerId, memory)).toBeLessThanOrEqual(MINUTE_MS);
  expect(calls).not.toHaveBeenCalled();
  expect(await countByState(next.orderIds)).toEqual({ queued: 3 });
});

test("sends one order at a time after an unknown outcome, until one is accepted", async () => {
  const { providerId, orderIds } = await placeOrders(links("500", 12));
  const memory = newMemory();
  await nextRound(providerId, memory);
  const { held = 0 } = await countByState(orderIds);
  expect(held).toBeLessThanOrEqual(5);
  await db.update(providers).set({ failures: 0 }).where(eq(providers.id, providerId));
  await nextRound(providerId, memory);
  expect(await countByState(orderIds)).toMatchObject({ held: held + 1 });
  await db
    .update(orders)
    .set({ link: sandboxLink("still") })
    .where(isQueuedAt(providerId));
  await nextRound(providerId, memory);
  expect(await countByState(orderIds)).toEqual({ held: held + 1, accepted: 11 - held });
});

function isSubmittingAt(providerId: number) {
  return and(eq(orders.providerId, providerId), eq(orders.fulfillment, "submitting"));
}

function isQueuedAt(providerId: number) {
  return and(eq(orders.providerId, providerId), eq(orders.fulfillment, "queued"));
}

function links(fault: SandboxFault, count: number): string[] {
  return Array.from({ length: count }, () => sandboxLink(fault, crypto.randomUUID()));
}

/** Stops the timeouts of calls to providers. The returned function ends the calls that hang, as a timeout would. */
function timeOutOfCalls(): () => void {
  const end = new AbortController();
  const clock = vi.spyOn(AbortSignal, "timeout").mockReturnValue(end.signal);
  return () => {
    expect(clock).toHaveBeenCalledWith(20_000);
    clock.mockRestore();
    end.abort(new DOMException("The call timed out.", "TimeoutError"));
  };
}

/** Runs a round as if the waiting times since the last one had passed. */
async function nextRound(providerId: number, memory: DispatcherMemory): Promise<void> {
  memory.statusesAt = 0;
  memory.sending.from = 0;
  if (memory.sending.suspect) memory.sending.suspect.from = 0;
  await db.update(providers).set({ openUntil: 0 }).where(eq(providers.id, providerId));
  await runProvider(db, env, providerId, memory);
}

async function countByState(orderIds: number[]): Promise<Record<string, number>> {
  const rows = await db
    .select({ state: orders.fulfillment, count: count() })
    .from(orders)
    .where(inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds)}))`))
    .groupBy(orders.fulfillment);
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
}

async function statusThere(providerOrderId: string | null): Promise<string> {
  const { url, key } = inject("sandbox");
  const response = await postToProvider({ apiUrl: url, key }, { action: "status", order: providerOrderId ?? "" });
  return (JSON.parse(response.raw) as { status: string }).status;
}

/** Watches the calls to providers. The result returns the ids of status calls since the last call of it. */
function idsAskedFor(): () => string[] {
  const calls = vi.spyOn(globalThis, "fetch");
  return () => {
    const ids = calls.mock.calls.flatMap(([, init]) =>
      init?.body instanceof URLSearchParams ? (init.body.get("orders")?.split(",") ?? []) : [],
    );
    calls.mockClear();
    return ids;
  };
}
