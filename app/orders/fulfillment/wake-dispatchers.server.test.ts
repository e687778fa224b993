import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { cancellations, type Order, orders, providers, refills, services } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { requestRefill } from "./refills.server.ts";
import { dispatchSoon, providersWithWork, submitSoon, wakeDispatchers } from "./wake-dispatchers.server.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

afterEach(() => void vi.restoreAllMocks());

test("reads no more for the open refills and cancellations of one provider when there are more of them", async () => {
  const idle = await sandboxProvider();
  const busy = await sandboxProvider();
  await openAt(busy, 1);
  const few = await rowsReadToWake([busy], [idle]);
  await openAt(busy, 10);
  expect(await rowsReadToWake([busy], [idle])).toBe(few);
});

const OPEN = { fulfillment: "accepted", status: "In progress" } as const;
const CLOSED = { fulfillment: "accepted", status: "Completed", remains: 0 } as const;

test.for([
  ["a queued order", { fulfillment: "queued", status: "Pending" }, null, true],
  ["an order that is being sent", { fulfillment: "submitting", status: "Pending" }, null, false],
  ["an order that it works on", OPEN, null, true],
  ["an order that it completed", CLOSED, null, false],
  ["an order held under its id", { ...OPEN, fulfillment: "held" }, null, true],
  ["an order held without an id", { ...OPEN, fulfillment: "held", providerOrderId: null }, null, false],
  ["a closed order that was held", { ...CLOSED, fulfillment: "held" }, null, false],
  ["a queued refill", CLOSED, { fulfillment: "queued" }, true],
  ["a refill that it works on", CLOSED, { fulfillment: "accepted" }, true],
  ["a held refill", CLOSED, { fulfillment: "held" }, false],
  ["a refill that it completed", CLOSED, { fulfillment: "accepted", status: "Completed" }, false],
] as [string, Partial<Order>, Partial<typeof refills.$inferInsert> | null, boolean][])(
  "wakes the dispatcher of a provider that has %s, or lets it sleep",
  async ([_, order, refill, isAwake]) => {
    const { providerId, userId, orderIds } = await placeOrders([sandboxLink(null)]);
    await acceptOrders(orderIds);
    const [orderId = 0] = orderIds;
    await db.update(orders).set(order).where(eq(orders.id, orderId));
    const owned = { orderId, userId, providerId, createdAt: 1, updatedAt: 1 };
    if (refill) await db.insert(refills).values({ ...owned, ...refill });
    expect((await providersWithWork(db)).includes(providerId)).toBe(isAwake);
    await db.update(providers).set({ enabled: false }).where(eq(providers.id, providerId));
    expect(await providersWithWork(db)).not.toContain(providerId);
  },
);

test.for([
  ["queued", true],
  ["accepted", false],
] as const)(
  "wakes the dispatcher of a provider with a cancellation that is %s, or lets it sleep",
  async ([state, isAwake]) => {
    const { providerId, userId, orderIds } = await placeOrders([sandboxLink(null)]);
    await acceptOrders(orderIds);
    const [orderId = 0] = orderIds;
    await requestCancellation(db, env, { userId, isTest: false }, orderId);
    await db.update(orders).set(CLOSED).where(eq(orders.id, orderId));
    await db.update(cancellations).set({ fulfillment: state }).where(eq(cancellations.orderId, orderId));
    expect((await providersWithWork(db)).includes(providerId)).toBe(isAwake);
  },
);

test("wakes the dispatcher of an order that was just placed, after the response and whatever comes of it", async () => {
  const { context, later, woken } = sleepingContext("3");
  submitSoon(context, { fulfillment: "manual", providerId: null });
  submitSoon(context, { fulfillment: "queued", providerId: null });
  submitSoon(context, { fulfillment: "rejected", providerId: 1 });
  expect(later).toEqual([]);
  for (const providerId of [2, 3]) submitSoon(context, { fulfillment: "queued", providerId });
  expect(later).toHaveLength(2);
  await Promise.all(later);
  expect(woken).toEqual(["2 as 2", "3 as 3"]);
});

test("wakes every dispatcher that has something to do, although one of them fails", async () => {
  const placed = [await placeOrders([sandboxLink(null)]), await placeOrders([sandboxLink(null)])];
  const names = placed.map(({ providerId }) => String(providerId));
  const { context, later, woken } = sleepingContext(names[0] ?? "");
  await wakeDispatchers(db, context.env.PROVIDER_DISPATCHER);
  expect(woken).toEqual(expect.arrayContaining(names.map((name) => `${name} as ${name}`)));
  woken.length = 0;
  dispatchSoon(context);
  expect(later).toHaveLength(1);
  await Promise.all(later);
  expect(woken).toEqual(expect.arrayContaining(names.map((name) => `${name} as ${name}`)));
});

/** A context whose dispatchers do nothing. That of provider `failing` fails. */
function sleepingContext(failing: string) {
  const later: Promise<unknown>[] = [];
  const woken: string[] = [];
  const getByName = (id: string) => ({
    async wake(name: string) {
      woken.push(`${id} as ${name}`);
      if (id === failing) throw new Error("not there");
    },
  });
  const PROVIDER_DISPATCHER = { getByName } as unknown as Env["PROVIDER_DISPATCHER"];
  const waitUntil = (work: Promise<unknown>) => void later.push(work);
  return { context: loadContext({ env: { ...env, PROVIDER_DISPATCHER }, waitUntil }), later, woken };
}

/** Creates that many queued cancellations, queued refills and accepted refills at the provider. */
async function openAt(providerId: number, count: number): Promise<void> {
  await db.update(services).set({ refill: true });
  const links = Array.from({ length: 3 * count }, (_, n) => sandboxLink("still", `open-${n}-${crypto.randomUUID()}`));
  const { userId, orderIds } = await placeOrders(links, providerId);
  await db.update(services).set({ refill: true });
  const owner = { userId, isTest: false };
  const accept = (ids: number[], status: "Completed" | "In progress") =>
    Promise.all(
      ids.map((id) =>
        db
          .update(orders)
          .set({ fulfillment: "accepted", status, providerOrderId: `${providerId}-${id}` })
          .where(inArray(orders.id, [id])),
      ),
    );
  const canceled = orderIds.slice(0, count);
  const refilled = orderIds.slice(count);
  await accept(canceled, "In progress");
  await accept(refilled, "Completed");
  for (const id of canceled) await requestCancellation(db, env, owner, id);
  for (const id of refilled) await requestRefill(db, owner, id);
  await db
    .update(refills)
    .set({ fulfillment: "accepted" })
    .where(inArray(refills.orderId, refilled.slice(count)));
  await db.update(orders).set({ status: "Completed" }).where(inArray(orders.id, canceled));
  expect(await db.$count(cancellations, inArray(cancellations.orderId, canceled))).toBe(count);
}

async function rowsReadToWake(awake: number[], asleep: number[]): Promise<number> {
  const { database, counts } = countedDatabase(env.DB);
  const found = await providersWithWork(connect(database));
  expect(found).toEqual(expect.arrayContaining(awake));
  for (const id of asleep) expect(found).not.toContain(id);
  return counts.rowsRead;
}
