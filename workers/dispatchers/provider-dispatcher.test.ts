import { runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { orders, providers } from "#app/db/schema.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

const WAIT = { timeout: 20_000, interval: 50 };

afterEach(async () => expect(await checkLedger(db)).toEqual([]));

test("submits an order as soon as it is placed, and follows it to its end without the cron trigger", async () => {
  const { serviceId } = await sandboxService();
  const { apiKey } = await customerWith(MICRO);
  const body = new URLSearchParams({
    key: apiKey,
    action: "add",
    service: String(serviceId),
    link: sandboxLink(null),
    quantity: "1000",
  });
  const response = await SELF.fetch("https://growline.example/api/v2", { method: "POST", body });
  const { order } = (await response.json()) as { order: number };
  await vi.waitUntil(async () => (await read(order)).fulfillment === "accepted", WAIT);
  await vi.waitUntil(async () => (await read(order)).status === "Completed", WAIT);
});

test("submits what waits when the cron trigger wakes it, also after it lost its memory", async () => {
  const { providerId, serviceId } = await sandboxService();
  const orderIds = await place(serviceId, 12);
  await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
  await vi.waitUntil(async () => (await read(orderIds.at(-1) ?? 0)).fulfillment === "accepted", WAIT);
  await kill(providerId);
  const [later = 0] = await place(serviceId, 1);
  await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
  await vi.waitUntil(async () => (await read(later)).fulfillment === "accepted", WAIT);
  for (const id of orderIds) expect((await read(id)).attempts).toBe(1);
});

test("keeps orders queued, untried and unheld while the breaker is open, and sends them after a probe", async () => {
  const { providerId, serviceId } = await sandboxService();
  await db
    .update(providers)
    .set({ failures: 5, openUntil: Date.now() + 60_000 })
    .where(eq(providers.id, providerId));
  const orderIds = await place(serviceId, 3);
  const dispatcher = env.PROVIDER_DISPATCHER.getByName(String(providerId));
  await dispatcher.wake(String(providerId));
  for (const id of orderIds) expect(await read(id)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  await db.update(providers).set({ openUntil: 0 }).where(eq(providers.id, providerId));
  await dispatcher.wake(String(providerId));
  for (const id of orderIds) await vi.waitUntil(async () => (await read(id)).fulfillment === "accepted", WAIT);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  expect(provider).toMatchObject({ failures: 0, openUntil: 0 });
});

/** Ends the dispatcher as a crash would. */
async function kill(providerId: number): Promise<void> {
  const dispatcher = env.PROVIDER_DISPATCHER.getByName(String(providerId));
  await expect(runInDurableObject(dispatcher, (_, state) => state.abort("killed"))).rejects.toThrow("killed");
}

async function sandboxService() {
  const providerId = await sandboxProvider();
  return { providerId, serviceId: await service({ providerId, providerServiceId: "1" }) };
}

async function place(serviceId: number, count: number): Promise<number[]> {
  const { userId } = await customerWith(count * MICRO);
  const orderIds: number[] = [];
  for (let n = 0; n < count; n++) {
    const fields = { link: sandboxLink(null, crypto.randomUUID()), quantity: "1000" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    orderIds.push(placed.order.id);
  }
  return orderIds;
}

async function read(orderId: number) {
  const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
  if (!order) throw new Error("order not found");
  return order;
}
