import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cancellations, providers } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation, resolveCancellations, sendCancellations } from "./cancellations.server.ts";
import { closeOrder } from "./close-order.server.ts";
import { providersWithWork } from "./wake-dispatchers.server.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

afterEach(async () => {
  vi.restoreAllMocks();
  expect(await checkLedger(db)).toEqual([]);
});

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
  await sendCancellations(db, env, await readProvider(providerId));
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
    await sendCancellations(db, env, await readProvider(providerId));
    expect(calls).toHaveBeenCalledTimes(1);
  }
  for (const id of orderIds) expect(await readCancellation(id)).toMatchObject({ fulfillment: "queued", attempts: 1 });
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

async function readProvider(providerId: number) {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  return provider;
}

async function readCancellation(orderId: number) {
  const [found] = await db.select().from(cancellations).where(eq(cancellations.orderId, orderId));
  return found;
}
