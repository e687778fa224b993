import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { resolveHeld } from "#app/console/orders/decisions/order-admin.server.ts";
import { type Order, orders, providerLog, providers } from "#app/db/schema.server.ts";
import { readSteps } from "#app/db/steps/order-steps.server.ts";
import type { DeferralCause, Meaning } from "#app/orders/providers/conventions/error-meanings.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import type { AddOutcome } from "#app/orders/providers/reading/add-answer.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { closeOrder } from "./close-order.server.ts";
import { newStatusCursor, syncStatuses } from "./status-sync.server.ts";
import { claimNext, holdLostSubmissions, LEASE_MS } from "./submission-claims.server.ts";
import { storeOutcome } from "./submission-outcomes.server.ts";

const CHARGE = 900_000;
const STAFF = { userId: "staff-1", name: "Grace Admin" };
const UNKNOWN = { kind: "unknown", why: "late" } as const;
const NO_RESPONSE = { kind: "no_response", why: "late", raw: "", httpStatus: null } as const;

beforeEach(() => {
  for (const level of ["error", "warn", "log"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

const LATE: AddOutcome[] = [
  { kind: "accepted", providerOrderId: "late" },
  { kind: "rejected", error: "late", reason: "target" },
  { kind: "deferred", cause: "link", meaning: "link_limit" },
  { kind: "unknown", why: "late" },
];

for (const outcome of LATE) {
  test(`keeps what a person decided about a held order when its provider's answer, ${outcome.kind}, comes late`, async () => {
    const theirs = crypto.randomUUID();
    const decisions = [
      [
        { kind: "accepted", providerOrderId: theirs },
        { fulfillment: "accepted", providerOrderId: theirs, refunded: 0 },
      ],
      [{ kind: "refused" }, { status: "Canceled", fulfillment: "rejected", refunded: CHARGE }],
      [{ kind: "again" }, { status: "Pending", fulfillment: "queued", providerOrderId: null, refunded: 0 }],
    ] as const;
    for (const [decision, expected] of decisions) {
      const { provider, claimed } = await claimedOrder();
      await cutOff(claimed);
      expect(await resolveHeld(db, env, STAFF, claimed.id, decision, "Looked there")).toEqual({ ok: true });
      await storeOutcome(linkTo(provider), claimed, outcome, NO_RESPONSE);
      expect(await readOrder(claimed.id), decision.kind).toMatchObject(expected);
    }
  });

  test(`keeps an order that is being sent again when the first call's answer, ${outcome.kind}, comes late`, async () => {
    const { provider, claimed } = await claimedOrder();
    await cutOff(claimed);
    await resolveHeld(db, env, STAFF, claimed.id, { kind: "again" }, "Not there");
    const again = await claimNext(db, provider, null);
    expect(again).toMatchObject({ id: claimed.id, attempts: 2 });
    for (const fulfillment of ["submitting", "held"]) {
      await storeOutcome(linkTo(provider), claimed, outcome, NO_RESPONSE);
      expect(await readOrder(claimed.id)).toMatchObject({ fulfillment, providerOrderId: null, refunded: 0 });
      await cutOff(claimed);
    }
  });
}

test("replaces no id that an order has from its provider", async () => {
  const { provider, claimed } = await claimedOrder();
  await storeOutcome(linkTo(provider), claimed, { kind: "accepted", providerOrderId: "first" }, NO_RESPONSE);
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, claimed.id));
  await storeOutcome(linkTo(provider), claimed, { kind: "accepted", providerOrderId: "second" }, NO_RESPONSE);
  expect(await readOrder(claimed.id)).toMatchObject({ fulfillment: "held", providerOrderId: "first" });
});

test("reports an id that comes after a person had the order sent again: the provider may deliver it twice", async () => {
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  const { provider, claimed } = await claimedOrder();
  await cutOff(claimed);
  await resolveHeld(db, env, STAFF, claimed.id, { kind: "again" }, "Not there");
  const providerOrderId = crypto.randomUUID();
  const response = { kind: "json", httpStatus: 200, raw: JSON.stringify({ order: providerOrderId }) } as const;
  const body = { order: providerOrderId };
  await storeOutcome(linkTo(provider), claimed, { kind: "accepted", providerOrderId }, { ...response, body });
  expect(logged.mock.calls.flat().join()).toContain(`"providerOrderId":"${providerOrderId}"`);
  const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, claimed.id));
  expect(rows.map(({ response }) => response).join()).toContain(providerOrderId);
});

test("refunds an order whose rejection comes after it was held as cut off", async () => {
  const { provider, claimed } = await claimedOrder();
  await cutOff(claimed);
  await storeOutcome(linkTo(provider), claimed, { kind: "rejected", error: "bad link", reason: "target" }, NO_RESPONSE);
  expect(await readOrder(claimed.id)).toMatchObject({ status: "Canceled", fulfillment: "rejected", refunded: CHARGE });
  expect(await readBalance(db, claimed.userId)).toBe(MICRO);
});

test.each([null, "a key"])(
  "queues an order again that its provider surely did not take, after it was held as cut off (%s)",
  async (key) => {
    const { provider, claimed } = await claimedOrder();
    await cutOff(claimed);
    const resendUntil = key === null ? null : claimed.leaseUntil - LEASE_MS + 23 * HOUR_MS;
    await storeOutcome(linkTo(provider), { ...claimed, resendUntil }, deferred("busy"), BUSY);
    const queued = await readOrder(claimed.id);
    expect(queued).toMatchObject({ fulfillment: "queued", heldFor: null, resendUntil: null });
    expect(queued.leaseUntil).toBeGreaterThan(Date.now());
    expect(readSteps(queued).map((step) => "fulfillment" in step && step.fulfillment)).toEqual([
      "submitting",
      false,
      "queued",
    ]);
  },
);

test("queues no order again that a person closed while it was held as cut off", async () => {
  const { provider, claimed } = await claimedOrder();
  await cutOff(claimed);
  await closeOrder(db, env, claimed, { status: "Partial", remains: 100, startCount: null });
  await storeOutcome(linkTo(provider), claimed, deferred("busy"), BUSY);
  expect(await readOrder(claimed.id)).toMatchObject({ status: "Partial", fulfillment: "held" });
});

test("refunds no order that is being sent since it was read as queued", async () => {
  const { providerId, userId, orderIds } = await placeOrders([sandboxLink(null)]);
  const queued = await readOrder(orderIds[0] ?? 0);
  await claimNext(db, await readProvider(providerId), null);
  const to = { status: "Canceled", remains: 1000, startCount: null, fulfillment: "rejected" } as const;
  expect(await closeOrder(db, env, queued, { ...to, onlyWhile: "queued" })).toBe(false);
  expect(await readOrder(queued.id)).toMatchObject({ status: "Pending", fulfillment: "submitting", refunded: 0 });
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE);
});

const REPORTS = [
  { status: "In progress", remains: "400", start_count: "7" },
  { status: "Completed", remains: "0" },
  { status: "Partial", remains: "500" },
  { status: "Canceled", remains: "1000" },
  // Nothing that says what to refund, and nothing that can be read: an open order would be held.
  { status: "Canceled" },
  { status: "Frobnicating" },
];

for (const report of REPORTS) {
  test(`leaves an order alone that a person closed while its provider reported ${JSON.stringify(report)}`, async () => {
    const { provider, claimed } = await claimedOrder();
    const theirs = crypto.randomUUID();
    await db
      .update(orders)
      .set({ fulfillment: "accepted", providerOrderId: theirs, unreadableSince: 1 })
      .where(eq(orders.id, claimed.id));
    const open = await readOrder(claimed.id);
    const calls = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      await closeOrder(db, env, open, { status: "Partial", remains: 100, startCount: 3 });
      return Response.json({ [theirs]: report });
    });
    await syncStatuses(linkTo(provider), newStatusCursor());
    expect(calls).toHaveBeenCalledOnce();
    const closed = { status: "Partial", remains: 100, startCount: 3, refunded: CHARGE / 10, fulfillment: "accepted" };
    expect(await readOrder(claimed.id)).toMatchObject(closed);
    expect(await readBalance(db, claimed.userId)).toBe(MICRO - CHARGE + CHARGE / 10);
  });
}

const ID = { kind: "json", httpStatus: 200, raw: '{"order":7}', body: { order: 7 } } as const;
const WITH_NEWS = { ...ID, raw: '{"order":7,"balance":1}', body: { order: 7, balance: 1 } } as const;
const BUSY = { kind: "json", httpStatus: 200, raw: '{"error":"busy"}', body: { error: "busy" } } as const;
const QUEUED = { fulfillment: "queued", leaseUntil: 20_000 } as const;
const deferredFor = (meaning: Meaning) => ({ ...QUEUED, deferredFor: meaning, deferrals: 1, deferredSince: 0 });
const HELD = { fulfillment: "held", heldFor: "unclear_answer", leaseUntil: 0 } as const;
const ACCEPTED = { fulfillment: "accepted", heldFor: null, providerOrderId: "7", leaseUntil: 0 } as const;

/** What a provider makes of an order's second call, and what is stored of it. Times are from now on. */
const OUTCOMES: {
  what: string;
  outcome: AddOutcome;
  response: ProviderResponse;
  provider?: Partial<Provider>;
  order?: Partial<Order>;
  stored: Partial<Order>;
  logs: number;
  paused?: string;
}[] = [
  { what: "an id", outcome: accepted("7"), response: ID, stored: ACCEPTED, logs: 0 },
  { what: "an id and more", outcome: accepted("7"), response: WITH_NEWS, stored: ACCEPTED, logs: 1 },
  { what: "an id in a list", outcome: accepted("7"), response: { ...ID, body: [7] }, stored: ACCEPTED, logs: 1 },
  {
    what: "a rejection",
    outcome: { kind: "rejected", error: "bad link", reason: "target" },
    response: BUSY,
    stored: {
      status: "Canceled",
      fulfillment: "rejected",
      leaseUntil: 0,
      refunded: CHARGE,
      remains: 1000,
      cost: 0,
      costIsReported: true,
    },
    logs: 1,
  },
  { what: "that it is busy", outcome: deferred("busy"), response: BUSY, stored: deferredFor("rate_limit"), logs: 1 },
  {
    what: "that it has the link",
    outcome: deferred("link"),
    response: BUSY,
    stored: deferredFor("link_limit"),
    logs: 1,
  },
  {
    what: "no funds",
    outcome: deferred("funds"),
    response: BUSY,
    stored: deferredFor("funds"),
    logs: 1,
    paused: "funds",
  },
  { what: "a wrong key", outcome: deferred("key"), response: BUSY, stored: deferredFor("key"), logs: 1, paused: "key" },
  {
    what: "that it is busy, at the first call with a key",
    outcome: deferred("busy"),
    response: BUSY,
    order: { resendUntil: 23 * HOUR_MS - 60_000 },
    stored: { ...deferredFor("rate_limit"), resendUntil: null },
    logs: 1,
  },
  {
    what: "that it is busy, at a later call with the key",
    outcome: deferred("busy"),
    response: BUSY,
    order: { resendUntil: HOUR_MS },
    stored: QUEUED,
    logs: 1,
  },
  { what: "nothing", outcome: UNKNOWN, response: NO_RESPONSE, stored: HELD, logs: 1 },
  {
    what: "nothing, to a call with a key",
    outcome: UNKNOWN,
    response: NO_RESPONSE,
    provider: { honorsIdempotencyKeys: true },
    order: { resendUntil: HOUR_MS },
    stored: QUEUED,
    logs: 1,
  },
  {
    what: "nothing, to a call with the key of settings that were changed since",
    outcome: UNKNOWN,
    response: NO_RESPONSE,
    provider: { honorsIdempotencyKeys: true },
    stored: { ...HELD, heldFor: "provider_changed" },
    logs: 1,
  },
  {
    what: "something vague, to a call with a key",
    outcome: UNKNOWN,
    response: ID,
    provider: { honorsIdempotencyKeys: true },
    order: { resendUntil: HOUR_MS },
    stored: HELD,
    logs: 1,
  },
];

test.for(OUTCOMES)("stores what becomes of an order when its provider answers $what", async (answer) => {
  const { outcome, response, provider: settings, order: has = {}, stored, logs, paused } = answer;
  const { provider, claimed } = await claimedOrder();
  const now = Date.now();
  const at = ({ leaseUntil, resendUntil, deferredSince, ...rest }: Partial<Order>) => ({
    ...rest,
    ...(deferredSince !== undefined && { deferredSince: now + deferredSince }),
    ...(leaseUntil !== undefined && { leaseUntil: leaseUntil && now + leaseUntil }),
    ...(resendUntil !== undefined && { resendUntil: resendUntil && now + resendUntil }),
  });
  vi.spyOn(Date, "now").mockReturnValue(now);
  await db
    .update(orders)
    .set({ attempts: 2, leaseUntil: now - 60_000 + LEASE_MS, ...at(has) })
    .where(eq(orders.id, claimed.id));
  const before = await readOrder(claimed.id);
  await storeOutcome(linkTo({ ...provider, ...settings }), before, outcome, response);
  expect(await readOrder(claimed.id)).toEqual({
    ...before,
    ...at(stored),
    history: expect.stringMatching(/^s\d+/),
    updatedAt: now,
  });
  expect(await db.$count(providerLog, eq(providerLog.orderId, claimed.id))).toBe(logs);
  const pausedUntil = paused ? now + 10 * 60_000 : 0;
  expect(await readProvider(provider.id)).toMatchObject({ pausedFor: paused ?? null, pausedUntil });
});

/** Earlier refusals for one reason, and whether the next one holds the order. */
const REFUSED: [Meaning, { deferrals: number; hours: number }, "queued" | "held"][] = [
  ["busy", { deferrals: 22, hours: 0 }, "queued"],
  ["busy", { deferrals: 23, hours: 0 }, "held"],
  ["busy", { deferrals: 1, hours: 25 }, "held"],
  ["active_order", { deferrals: 5, hours: 23 }, "queued"],
  ["active_order", { deferrals: 5, hours: 24 }, "held"],
  ["funds", { deferrals: 500, hours: 71 }, "queued"],
  ["funds", { deferrals: 5, hours: 72 }, "held"],
];

test.for(REFUSED)("after %s and %o, has an order %s", async ([meaning, { deferrals, hours }, fulfillment]) => {
  const { provider, claimed } = await claimedOrder();
  const deferredSince = Date.now() - hours * HOUR_MS;
  await db.update(orders).set({ deferredFor: meaning, deferrals, deferredSince }).where(eq(orders.id, claimed.id));
  const before = await readOrder(claimed.id);
  await storeOutcome(linkTo(provider), before, { kind: "deferred", cause: "busy", meaning }, BUSY);
  expect(await readOrder(claimed.id)).toMatchObject({
    fulfillment,
    heldFor: fulfillment === "held" ? "refused_too_long" : null,
    deferredFor: meaning,
    deferrals: deferrals + 1,
    deferredSince,
    refunded: 0,
  });
});

test("holds an order that its provider refuses for changing reasons for a week", async () => {
  const { provider, claimed } = await claimedOrder();
  const placedAt = (days: number) => ({ createdAt: Date.now() - days * 24 * HOUR_MS });
  const refuse = async (days: number, deferredFor: Meaning | null) => {
    const set = {
      ...placedAt(days),
      deferredFor,
      deferrals: 1,
      deferredSince: Date.now(),
      fulfillment: "submitting",
    } as const;
    await db
      .update(orders)
      .set({ ...set, heldFor: null })
      .where(eq(orders.id, claimed.id));
    await storeOutcome(linkTo(provider), await readOrder(claimed.id), deferred("busy"), BUSY);
    return (await readOrder(claimed.id)).fulfillment;
  };
  expect(await refuse(6.9, "active_order")).toBe("queued");
  expect(await refuse(7, "active_order")).toBe("held");
  // Staff had it sent again.
  expect(await refuse(8, null)).toBe("queued");
});

test("counts the refusals for another reason anew", async () => {
  const { provider, claimed } = await claimedOrder();
  await db
    .update(orders)
    .set({ deferredFor: "busy", deferrals: 23, deferredSince: 1 })
    .where(eq(orders.id, claimed.id));
  const before = await readOrder(claimed.id);
  await storeOutcome(linkTo(provider), before, { kind: "deferred", cause: "link", meaning: "active_order" }, BUSY);
  expect(await readOrder(claimed.id)).toMatchObject({
    fulfillment: "queued",
    deferredFor: "active_order",
    deferrals: 1,
  });
});

test("accepts no other order that is held after as many calls", async () => {
  const { provider, claimed } = await claimedOrder();
  const other = await claimedOrder();
  for (const { id } of [claimed, other.claimed]) await cutOff({ id } as Order);
  await storeOutcome(linkTo(provider), claimed, accepted("mine"), ID);
  expect(await readOrder(claimed.id)).toMatchObject({ fulfillment: "accepted", providerOrderId: "mine" });
  expect(await readOrder(other.claimed.id)).toMatchObject({ fulfillment: "held", providerOrderId: null });
});

test("logs a rejection that comes after a person closed the order", async () => {
  const { provider, claimed } = await claimedOrder();
  await closeOrder(db, env, claimed, { status: "Partial", remains: 100, startCount: null });
  await storeOutcome(linkTo(provider), claimed, { kind: "rejected", error: "bad link", reason: "target" }, BUSY);
  expect(await readOrder(claimed.id)).toMatchObject({ status: "Partial", refunded: CHARGE / 10 });
  expect(await db.$count(providerLog, eq(providerLog.orderId, claimed.id))).toBe(1);
});

test("ends the pause of a provider that takes an order, and of no other", async () => {
  const { provider, claimed } = await claimedOrder();
  const paused = { pausedFor: "funds", pausedUntil: 5 } as const;
  await db.update(providers).set(paused).where(eq(providers.id, provider.id));
  // This call began before the pause.
  await storeOutcome(linkTo(provider), claimed, accepted("before"), ID);
  expect(await readProvider(provider.id)).toMatchObject(paused);
  await storeOutcome(linkTo({ ...provider, ...paused }), claimed, accepted("before"), ID);
  expect(await readProvider(provider.id)).toMatchObject({ pausedFor: null, pausedUntil: 0 });
});

test("holds an order whose id another order has, and logs the response", async () => {
  const { provider, claimed } = await claimedOrder();
  await storeOutcome(linkTo(provider), claimed, accepted("taken"), ID);
  const { orderIds } = await placeOrders([sandboxLink(null)], provider.id);
  const second = await claimNext(db, provider, null);
  expect(second).toMatchObject({ id: orderIds[0] });
  await storeOutcome(linkTo(provider), second as Order, accepted("taken"), ID);
  expect(await readOrder(orderIds[0] ?? 0)).toMatchObject({ ...HELD, heldFor: "id_taken", providerOrderId: null });
  expect(await db.$count(providerLog, eq(providerLog.orderId, orderIds[0] ?? 0))).toBe(1);
});

function accepted(providerOrderId: string): AddOutcome {
  return { kind: "accepted", providerOrderId };
}

function deferred(cause: DeferralCause): AddOutcome {
  return { kind: "deferred", cause, meaning: null };
}

/** Places an order and claims it, as right before its call. */
async function claimedOrder(): Promise<{ provider: Provider; claimed: Order }> {
  const { providerId } = await placeOrders([sandboxLink(null)]);
  const provider = await readProvider(providerId);
  const claimed = await claimNext(db, provider, null);
  if (!claimed) throw new Error("nothing was claimed");
  return { provider, claimed };
}

/** Lets the lease of a call end, as if its dispatcher had been killed. */
async function cutOff({ id }: Order): Promise<void> {
  await db.update(orders).set({ leaseUntil: 1 }).where(eq(orders.id, id));
  await holdLostSubmissions(db);
  expect(await readOrder(id)).toMatchObject({ fulfillment: "held", heldFor: "cut_off" });
}
