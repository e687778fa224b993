import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { newSending, submitQueued } from "./submission.server.ts";
import { claimNext, holdLostSubmissions } from "./submission-claims.server.ts";

const stalled = stalls();
const standing = connect(stalled.on(env.DB), undefined, stalled.wait);

afterEach(async () => {
  vi.restoreAllMocks();
  await stalled.end();
});

async function queued() {
  const { userId } = await customerWith(MICRO);
  const providerId = await sandboxProvider();
  const placed = await placeOrder(db, userId, {
    serviceId: await service({ providerId, providerServiceId: "1" }),
    fields: { link: `https://instagram.com/p/${crypto.randomUUID()}`, quantity: "100" },
    idempotencyKey: null,
    source: "api",
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const read = async () => {
    const [order] = await db.select().from(orders).where(eq(orders.id, placed.order.id));
    return order;
  };
  return { provider: await readProvider(providerId), read };
}

test("sends no order whose claim stood still, and claims it later", async () => {
  const { provider, read } = await queued();
  const fetched = vi.spyOn(globalThis, "fetch");
  stalled.beforeCalls();
  // The first attempt to release what it may have claimed stood still, too.
  void stalled.called(2).then(() => stalled.end());
  await expect(submitQueued(linkTo(provider, standing), newSending())).rejects.toSatisfy(isUnavailable);
  // The claim was not carried out late: nobody would send what it claimed.
  expect(await read()).toMatchObject({ fulfillment: "queued" });
  expect(fetched).not.toHaveBeenCalled();
  await submitQueued(linkTo(provider, standing), newSending());
  expect(await read()).toMatchObject({ fulfillment: "accepted" });
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("queues an order again whose claim was carried out without an answer, and sends it once", async () => {
  const { provider, read } = await queued();
  const fetched = vi.spyOn(globalThis, "fetch");
  stalled.losingAnswers();
  // The first attempt to release it was carried out without an answer, too.
  void stalled.called(2).then(() => stalled.end());
  await expect(submitQueued(linkTo(provider, standing), newSending())).rejects.toSatisfy(isUnavailable);
  expect(await read()).toMatchObject({ fulfillment: "queued", attempts: 1 });
  expect(fetched).not.toHaveBeenCalled();
  await submitQueued(linkTo(provider, standing), newSending());
  expect(await read()).toMatchObject({ fulfillment: "accepted", attempts: 2 });
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("holds an order whose claim was cut off with its sender, and never sends it twice", async () => {
  const { provider, read } = await queued();
  const fetched = vi.spyOn(globalThis, "fetch");
  await claimNext(db, provider, null);
  await submitQueued(linkTo(provider, standing), newSending());
  await db.update(orders).set({ leaseUntil: 1 }).where(eq(orders.fulfillment, "submitting"));
  await holdLostSubmissions(db);
  await submitQueued(linkTo(provider, standing), newSending());
  expect(await read()).toMatchObject({ fulfillment: "held" });
  expect(fetched).not.toHaveBeenCalled();
  expect(await checkLedger(db)).toEqual([]);
});

test("releases no order but the one that was claimed at that time", async () => {
  const { provider, read } = await queued();
  await claimNext(db, provider, null);
  stalled.losingAnswers();
  void stalled.called(2).then(() => stalled.end());
  await expect(claimNext(standing, provider, null)).rejects.toSatisfy(isUnavailable);
  expect(await read()).toMatchObject({ fulfillment: "submitting" });
});

test.each(["beforeCalls", "losingAnswers"] as const)(
  "stores the id of an order that its provider took while the database stood still (%s)",
  async (begin) => {
    const { provider, read } = await queued();
    const { fetch } = globalThis;
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...request) => {
      const response = await fetch(...request);
      stalled[begin]();
      // The first attempt to store the id has been given up by then.
      void stalled.called(2).then(() => stalled.end());
      return response;
    });
    await submitQueued(linkTo(provider, standing), newSending());
    expect(await read()).toMatchObject({ fulfillment: "accepted", providerOrderId: expect.any(String) });
    expect(fetched).toHaveBeenCalledTimes(1);
  },
);
