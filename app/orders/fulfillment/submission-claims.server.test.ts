import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { claimNext, holdLostSubmissions, isFirstWithKey, LEASE_MS, mayBeSent } from "./submission-claims.server.ts";

const KEY_MS = 23 * 60 * 60_000;
const NOW = Date.now() + 1000;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});

afterEach(() => void vi.restoreAllMocks());

test("claims the order that has been due for longest, of those the one placed first, and each once", async () => {
  const { provider, orderIds } = await queued(5);
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = orderIds;
  for (const [id, leaseUntil] of [
    [a, NOW],
    [b, NOW - 5],
    [c, NOW - 5],
    [d, NOW + 1],
    [e, NOW - 9],
  ] as const) {
    await change(id, { leaseUntil });
  }
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  const claimed: (number | undefined)[] = [];
  for (let n = 0; n < 5; n++) claimed.push((await claimNext(db, provider, null))?.id);
  expect(claimed).toEqual([e, b, c, a, undefined]);
});

test("claims no order of another provider, of the customer who waits, or in another state", async () => {
  const { provider, orderIds, userId } = await queued(1);
  const other = await queued(1);
  expect(await claimNext(db, provider, userId)).toBeUndefined();
  for (const fulfillment of ["manual", "submitting", "accepted", "rejected", "held"] as const) {
    await change(orderIds[0] ?? 0, { fulfillment });
    expect(await claimNext(db, provider, null)).toBeUndefined();
  }
  await change(orderIds[0] ?? 0, { fulfillment: "queued" });
  expect(await claimNext(db, provider, other.userId)).toMatchObject({ id: orderIds[0] });
  expect(await readOrder(other.orderIds[0] ?? 0)).toMatchObject({ fulfillment: "queued", attempts: 0 });
});

test.for([
  ["no key", 1, false, null, null],
  ["its first key", 2, true, null, KEY_MS],
  ["the key of an earlier call", 3, true, 5, null],
] as const)("notes with the claim that the call carries %s", async ([_, minute, honors, resendUntil, keyMs]) => {
  // No two claims have the same time.
  const now = NOW + minute * 60_000;
  const until = keyMs === null ? resendUntil : now + keyMs;
  const { provider, orderIds } = await queued(1);
  await change(orderIds[0] ?? 0, { attempts: 3, resendUntil });
  const before = await readOrder(orderIds[0] ?? 0);
  vi.spyOn(Date, "now").mockReturnValue(now);
  const claimed = await claimNext(db, { ...provider, honorsIdempotencyKeys: honors }, null);
  const written = { fulfillment: "submitting", leaseUntil: now + LEASE_MS, attempts: 4, resendUntil: until };
  expect(claimed).toEqual({ ...before, ...written, providerRate: null });
  expect(await readOrder(before.id)).toEqual({ ...before, ...written });
});

test("claims nothing for a call by other settings than the provider's, or for one that is turned off", async () => {
  const { provider } = await queued(1);
  for (const other of [{ id: provider.id + 1_000_000 }, { apiUrl: "https://panel.example" }, { encryptedKey: "x" }]) {
    expect(await claimNext(db, { ...provider, ...other }, null)).toBeUndefined();
  }
  await db.update(providers).set({ enabled: false }).where(eq(providers.id, provider.id));
  expect(await claimNext(db, provider, null)).toBeUndefined();
  await db.update(providers).set({ enabled: true }).where(eq(providers.id, provider.id));
  expect(await claimNext(db, provider, null)).toBeDefined();
});

const LEASE_ENDS = NOW + LEASE_MS;

test.for([
  ["no call with a key", { resendUntil: null }, true, true],
  ["no call with a key, at a provider without keys", { resendUntil: null }, false, true],
  ["this call's key as its first", { resendUntil: NOW + KEY_MS }, true, true],
  ["this call's key as its first, at a provider without keys", { resendUntil: NOW + KEY_MS }, false, true],
  ["the key of an earlier call, for another moment", { resendUntil: NOW + 1 }, true, true],
  ["a key that ends now", { resendUntil: NOW }, true, false],
  ["the key of an earlier call, at a provider without keys", { resendUntil: NOW + 1 }, false, false],
  ["the key of an earlier call, and no fields", { resendUntil: NOW + 1, requestDigest: "" }, true, false],
] as const)("tells whether an order that has %s may be sent", ([_, has, honorsIdempotencyKeys, expected]) => {
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  const order = { requestDigest: "digest", leaseUntil: LEASE_ENDS, ...has } as Order;
  expect(mayBeSent({ honorsIdempotencyKeys } as Provider, order)).toBe(expected);
  expect(isFirstWithKey(order)).toBe(has.resendUntil === NOW + KEY_MS);
});

test.for([
  ["holds", null, "held"],
  ["queues", NOW + 1, "queued"],
] as const)("%s an order once the lease of its call has ended", async ([_, resendUntil, fulfillment]) => {
  const { orderIds } = await queued(3);
  const [lost = 0, running = 0, waiting = 0] = orderIds;
  await change(lost, { fulfillment: "submitting", leaseUntil: NOW - 1, resendUntil });
  await change(running, { fulfillment: "submitting", leaseUntil: NOW, resendUntil });
  await change(waiting, { leaseUntil: NOW - 1, resendUntil });
  const before = await Promise.all(orderIds.map(readOrder));
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  await holdLostSubmissions(db);
  const history = fulfillment === "held" ? expect.stringMatching(/^k\d+$/) : "";
  const moved = {
    history,
    fulfillment,
    heldFor: fulfillment === "held" ? "cut_off" : null,
    leaseUntil: 0,
    updatedAt: NOW,
  };
  expect(await Promise.all(orderIds.map(readOrder))).toEqual([{ ...before[0], ...moved }, before[1], before[2]]);
});

async function queued(count: number): Promise<{ provider: Provider; orderIds: number[]; userId: string }> {
  const links = Array.from({ length: count }, (_, n) => sandboxLink(null, `claim-${n}`));
  const { providerId, orderIds, userId } = await placeOrders(links);
  return { provider: await readProvider(providerId), orderIds, userId };
}

async function change(orderId: number, to: Partial<Order>): Promise<void> {
  await db.update(orders).set(to).where(eq(orders.id, orderId));
}
