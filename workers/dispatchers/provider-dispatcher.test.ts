import { runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { cancellations, providers } from "#app/db/schema.server.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

const WAIT = { timeout: 90_000, interval: 50 };

afterEach(async () => expect(await checkLedger(db)).toEqual([]));

test("submits an order as soon as it is placed, and follows it to its end without the cron trigger", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await service({ providerId, providerServiceId: "1" });
  const { apiKey } = await customerWith(MICRO);
  const body = new URLSearchParams({
    key: apiKey,
    action: "add",
    service: String(serviceId),
    link: sandboxLink("quick"),
    quantity: "1000",
  });
  const response = await SELF.fetch("https://growline.example/api/v2", { method: "POST", body });
  const { order } = (await response.json()) as { order: number };
  await vi.waitUntil(async () => (await readOrder(order)).fulfillment === "accepted", WAIT);
  await completes(order, providerId);
});

test("follows the orders of one provider while another does not respond to cancellations", async () => {
  const hanging = await placeOrders(links(6, "hang"));
  await wake(hanging.providerId);
  for (const id of hanging.orderIds)
    await vi.waitUntil(async () => (await readOrder(id)).fulfillment === "accepted", WAIT);
  const { userId } = hanging;
  for (const id of hanging.orderIds) await requestCancellation(db, env, { userId, isTest: false }, id);
  await wake(hanging.providerId);
  const other = await placeOrders([sandboxLink("quick", "beside")]);
  await wake(other.providerId);
  await completes(other.orderIds[0] ?? 0, other.providerId);
  const untried = and(inArray(cancellations.orderId, hanging.orderIds), eq(cancellations.attempts, 0));
  expect(await db.$count(cancellations, untried)).toBeGreaterThan(0);
});

test("submits what waits when the cron trigger wakes it, also after it lost its memory", async () => {
  const providerId = await sandboxProvider();
  const { orderIds } = await placeOrders(links(12), providerId);
  await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
  await vi.waitUntil(async () => (await readOrder(orderIds.at(-1) ?? 0)).fulfillment === "accepted", WAIT);
  await kill(providerId);
  const [later = 0] = (await placeOrders(links(1), providerId)).orderIds;
  await wakeDispatchers(db, env.PROVIDER_DISPATCHER);
  await vi.waitUntil(async () => (await readOrder(later)).fulfillment === "accepted", WAIT);
  for (const id of orderIds) expect((await readOrder(id)).attempts).toBe(1);
});

test("keeps orders queued, untried and unheld while the breaker is open, and sends them after a probe", async () => {
  const providerId = await sandboxProvider();
  await db
    .update(providers)
    .set({ failures: 5, openUntil: Date.now() + 60_000 })
    .where(eq(providers.id, providerId));
  const { orderIds } = await placeOrders(links(3), providerId);
  await wake(providerId);
  for (const id of orderIds) expect(await readOrder(id)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  await db.update(providers).set({ openUntil: 0 }).where(eq(providers.id, providerId));
  await wake(providerId);
  for (const id of orderIds) await vi.waitUntil(async () => (await readOrder(id)).fulfillment === "accepted", WAIT);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  expect(provider).toMatchObject({ failures: 0, openUntil: 0 });
});

test("keeps the back-off of orders over the loss of its memory", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { providerId } = await placeOrders([sandboxLink("500", "unknown")]);
  await wake(providerId);
  const kept = () =>
    runInDurableObject(env.PROVIDER_DISPATCHER.getByName(String(providerId)), (_, { storage }) =>
      storage.kv.get<{ unknown: number }>("memory"),
    );
  await vi.waitUntil(async () => (await kept())?.unknown === 1, WAIT);
  await kill(providerId);
  expect((await kept())?.unknown).toBe(1);
});

async function wake(providerId: number): Promise<void> {
  const name = String(providerId);
  await env.PROVIDER_DISPATCHER.getByName(name).wake(name);
}

/** Waits until an order is completed. The time up to the next round, which the dispatcher itself has set, passes at once. */
async function completes(orderId: number, providerId: number): Promise<void> {
  const dispatcher = env.PROVIDER_DISPATCHER.getByName(String(providerId));
  const clock = Date.now;
  let passed = 0;
  const now = vi.spyOn(Date, "now").mockImplementation(() => clock() + passed);
  await vi.waitUntil(async () => {
    if ((await readOrder(orderId)).status === "Completed") return true;
    const due = await runInDurableObject(dispatcher, (_, { storage }) => storage.getAlarm());
    // None while a round runs.
    if (due === null || due <= Date.now()) return false;
    expect(due - Date.now()).toBeLessThanOrEqual(RECENT_ROUND_MS);
    passed += due - Date.now();
    await runDurableObjectAlarm(dispatcher);
    return false;
  }, WAIT);
  now.mockRestore();
}

/** Ends the dispatcher as a crash would. */
async function kill(providerId: number): Promise<void> {
  const dispatcher = env.PROVIDER_DISPATCHER.getByName(String(providerId));
  await expect(runInDurableObject(dispatcher, (_, state) => state.abort("killed"))).rejects.toThrow("killed");
}

function links(count: number, fault: SandboxFault | null = null): string[] {
  return Array.from({ length: count }, () => sandboxLink(fault, crypto.randomUUID()));
}
