import { env } from "cloudflare:workers";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cancellations, orders, providers, refills, services } from "#app/db/schema.server.ts";
import { queueLowBalanceWebhooks } from "#app/orders/webhooks/queue-webhooks.server.ts";
import {
  createEndpoint,
  listDeliveries,
  setLowBalanceThreshold,
} from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation, sendCancellations } from "./fulfillment/cancellations.server.ts";
import { syncRefills } from "./fulfillment/refill-status-sync.server.ts";
import { requestRefill, sendRefills } from "./fulfillment/refills.server.ts";

/** Every scheduled job works through a list. It logs an item that fails and continues with the next. */

let logged: string[] = [];
/** The waits in ms before an answer is stored again. They pass at once. */
let waits: () => number[];
let lift: () => Promise<void> = async () => {};

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
  const waited = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
  waits = () => waited.mock.calls.map(([ms]) => ms).sort((a, b) => a - b);
});

afterEach(async () => {
  await lift();
  lift = async () => {};
});

test("submits the remaining orders when some outcomes cannot be stored", async () => {
  const { orderIds, providerId } = await placeMany(8);
  const failing = orderIds.slice(0, 4);
  lift = await refuseUpdates("orders", `new.id in (${failing}) and new.fulfillment = 'accepted'`);
  await runFulfillment(providerId);
  const accepted = and(eq(orders.providerId, providerId), eq(orders.fulfillment, "accepted"));
  const sent = await db.select({ id: orders.id }).from(orders).where(accepted).orderBy(asc(orders.id));
  expect(sent.map(({ id }) => id)).toEqual(orderIds.slice(4));
  expect(logged).toHaveLength(4);
  expect(waits()).toEqual([400, 400, 400, 400, 800, 800, 800, 800, 1600, 1600, 1600, 1600]);
});

test("claims no order of a provider whose key cannot be decrypted", async () => {
  const { orderIds, providerId } = await placeMany(2);
  await db.update(providers).set({ encryptedKey: "not sealed" }).where(eq(providers.id, providerId));
  await runFulfillment(providerId);
  const rows = await db.select().from(orders).where(inArray(orders.id, orderIds));
  expect(rows).toMatchObject([
    { fulfillment: "queued", attempts: 0 },
    { fulfillment: "queued", attempts: 0 },
  ]);
  expect(logged).toEqual([expect.stringContaining(`"provider":${providerId}`)]);
  await db.update(providers).set({ enabled: false }).where(eq(providers.id, providerId));
});

test("sends and syncs the other refills when one cannot be stored", async () => {
  const { userId, orderIds, provider } = await submitMany(2);
  await db.update(services).set({ refill: true }).where(eq(services.providerId, provider.id));
  await db.update(orders).set({ status: "Completed" }).where(inArray(orders.id, orderIds));
  for (const id of orderIds) expect(await requestRefill(db, { userId, isTest: false }, id)).toMatchObject({ ok: true });
  const read = () => db.select().from(refills).where(inArray(refills.orderId, orderIds)).orderBy(asc(refills.id));
  const [failing] = await read();
  lift = await refuseUpdates("refills", `new.id = ${failing?.id} and new.fulfillment = 'accepted'`);
  await sendRefills(linkTo(provider));
  expect(await read()).toMatchObject([{ fulfillment: "submitting" }, { fulfillment: "accepted" }]);
  await lift();

  const accepted = { fulfillment: "accepted", providerRefillId: "501", leaseUntil: 0 } as const;
  await db
    .update(refills)
    .set(accepted)
    .where(eq(refills.id, failing?.id ?? 0));
  lift = await refuseUpdates("refills", `new.id = ${failing?.id} and new.status <> old.status`);
  await syncRefills(linkTo(provider));
  const [first, second] = await read();
  expect(first).toMatchObject({ status: "Pending" });
  expect(second?.status).not.toBe("Pending");
  expect(logged).toHaveLength(2);
});

test("sends the other cancellations when one cannot be stored, and retries that one later", async () => {
  const { userId, orderIds, provider } = await submitMany(2);
  for (const id of orderIds) await requestCancellation(db, env, { userId, isTest: false }, id);
  const [failing = 0] = orderIds;
  const read = () =>
    db.select().from(cancellations).where(inArray(cancellations.orderId, orderIds)).orderBy(asc(cancellations.orderId));
  lift = await refuseUpdates("cancellations", `new.order_id = ${failing} and new.fulfillment = 'accepted'`);
  await sendCancellations(linkTo(provider));
  const [first, second] = await read();
  expect(first).toMatchObject({ fulfillment: "queued" });
  expect(first?.leaseUntil).toBeGreaterThan(Date.now());
  expect(second).toMatchObject({ fulfillment: "accepted" });
  await lift();
  await db.update(cancellations).set({ leaseUntil: 0 }).where(eq(cancellations.orderId, failing));
  await sendCancellations(linkTo(provider));
  expect(await read()).toMatchObject([{ fulfillment: "accepted" }, { fulfillment: "accepted" }]);
});

test("announces the other low balances when one cannot be stored", async () => {
  const failing = await lowWallet();
  const next = await lowWallet();
  lift = await refuseUpdates("wallets", `new.user_id = '${failing.userId}' and new.low_balance_notified`);
  await queueLowBalanceWebhooks(db, withoutDispatchers);
  expect(await listDeliveries(db, failing.userId, failing.endpointId, 10)).toHaveLength(0);
  expect(await listDeliveries(db, next.userId, next.endpointId, 10)).toHaveLength(1);
  await lift();
  await queueLowBalanceWebhooks(db, withoutDispatchers);
  expect(await listDeliveries(db, failing.userId, failing.endpointId, 10)).toHaveLength(1);
});

async function lowWallet() {
  const { userId } = await customerWith(MICRO);
  const endpoint = await createEndpoint(db, env, await ownerOf(userId), "https://shop.example/hook");
  if (!endpoint.ok) throw new Error(endpoint.reason);
  await setLowBalanceThreshold(db, userId, 2 * MICRO);
  return { userId, endpointId: endpoint.id };
}

/** Places orders of one customer that the provider accepts and never delivers. */
async function submitMany(count: number) {
  const placed = await placeMany(count);
  await runFulfillment(placed.providerId);
  const rows = and(inArray(orders.id, placed.orderIds), ne(orders.fulfillment, "accepted"));
  expect(await db.select().from(orders).where(rows)).toEqual([]);
  const [provider] = await db.select().from(providers).where(eq(providers.id, placed.providerId));
  if (!provider) throw new Error("provider not found");
  return { ...placed, provider };
}

function placeMany(count: number) {
  return placeOrders(Array.from({ length: count }, (_, n) => sandboxLink("still", n)));
}
