import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providerLog, providers } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-calls.server.ts";
import type { AddOutcome } from "#app/orders/providers/provider-responses.ts";
import { resolveHeld } from "#app/orders/staff/orders/order-admin.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { closeOrder } from "./close-order.server.ts";
import { newStatusCursor, syncStatuses } from "./status-sync.server.ts";
import { claimNext, holdLostSubmissions } from "./submission-claims.server.ts";
import { storeOutcome } from "./submission-outcomes.server.ts";

const CHARGE = 900_000;
const STAFF = { userId: "staff-1", name: "Grace Admin" };
const NO_RESPONSE = { kind: "no_response", why: "late", raw: "", httpStatus: null } as const;

beforeEach(() => {
  for (const level of ["error", "warn", "log"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

afterEach(async () => expect(await checkLedger(db)).toEqual([]));

const LATE: AddOutcome[] = [
  { kind: "accepted", providerOrderId: "late" },
  { kind: "rejected", error: "late" },
  { kind: "deferred", cause: "link", error: "late" },
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
      await storeOutcome(db, env, provider, claimed, outcome, NO_RESPONSE);
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
      await storeOutcome(db, env, provider, claimed, outcome, NO_RESPONSE);
      expect(await readOrder(claimed.id)).toMatchObject({ fulfillment, providerOrderId: null, refunded: 0 });
      await cutOff(claimed);
    }
  });
}

test("replaces no id that an order has from its provider", async () => {
  const { provider, claimed } = await claimedOrder();
  await storeOutcome(db, env, provider, claimed, { kind: "accepted", providerOrderId: "first" }, NO_RESPONSE);
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, claimed.id));
  await storeOutcome(db, env, provider, claimed, { kind: "accepted", providerOrderId: "second" }, NO_RESPONSE);
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
  await storeOutcome(db, env, provider, claimed, { kind: "accepted", providerOrderId }, { ...response, body });
  expect(logged.mock.calls.flat().join()).toContain(`"providerOrderId":"${providerOrderId}"`);
  const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, claimed.id));
  expect(rows.map(({ response }) => response).join()).toContain(providerOrderId);
});

test("refunds an order whose rejection comes after it was held as cut off", async () => {
  const { provider, claimed } = await claimedOrder();
  await cutOff(claimed);
  await storeOutcome(db, env, provider, claimed, { kind: "rejected", error: "bad link" }, NO_RESPONSE);
  expect(await readOrder(claimed.id)).toMatchObject({ status: "Canceled", fulfillment: "rejected", refunded: CHARGE });
  expect(await readBalance(db, claimed.userId)).toBe(MICRO);
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
    await syncStatuses(db, env, provider, newStatusCursor());
    expect(calls).toHaveBeenCalledOnce();
    const closed = { status: "Partial", remains: 100, startCount: 3, refunded: CHARGE / 10, fulfillment: "accepted" };
    expect(await readOrder(claimed.id)).toMatchObject(closed);
    expect(await readBalance(db, claimed.userId)).toBe(MICRO - CHARGE + CHARGE / 10);
  });
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
  expect(await readOrder(id)).toMatchObject({ fulfillment: "held" });
}

async function readProvider(providerId: number): Promise<Provider> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  return provider;
}
