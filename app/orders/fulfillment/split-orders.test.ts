import { eq } from "drizzle-orm";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { holdReasonSentence } from "#app/console/orders/hold-reasons.ts";
import { orders, providers } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { newSending, submitQueued } from "./submission.server.ts";

afterEach(() => void vi.restoreAllMocks());
afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("holds an order with a comma that was placed before its provider was known to split there, and sends the others", async () => {
  const { providerId, place } = await commentProvider();
  const [comma, plain, names] = [await place("Great, thanks"), await place("Nice\nThanks"), await place(null)];
  await change(providerId, true);
  const calls = accepts();
  await submitOrder(comma);
  expect(calls().map(({ comments }) => comments)).toEqual(["Nice\nThanks", undefined]);
  expect(await readOrder(comma)).toMatchObject({
    ...{ fulfillment: "held", heldFor: "splits_comments", status: "Pending", refunded: 0 },
    // Nothing says that it was sent.
    ...{ attempts: 0, history: expect.stringMatching(/^c\d+$/) },
  });
  for (const id of [plain, names]) expect(await readOrder(id)).toMatchObject({ fulfillment: "accepted" });
  expect(holdReasonSentence("splits_comments")).toContain("splits comments at commas");
});

test("never sends a comma in a round that began before staff changed the setting, and holds it in the next one", async () => {
  const { providerId, place } = await commentProvider();
  const comma = await place("Great, thanks");
  const before = await readProvider(providerId);
  await change(providerId, true);
  const calls = accepts();
  await submitQueued(linkTo(before), newSending());
  expect(await readOrder(comma)).toMatchObject({ fulfillment: "queued", attempts: 0 });
  await submitOrder(comma);
  expect(await readOrder(comma)).toMatchObject({ fulfillment: "held", heldFor: "splits_comments" });
  expect(calls()).toEqual([]);
});

test("holds an order with a comma again when staff send it again, and sends it once the provider takes commas", async () => {
  const { providerId, place } = await commentProvider();
  const comma = await place("Great, thanks");
  await change(providerId, true);
  const calls = accepts();
  await submitOrder(comma);
  const again = () =>
    db.update(orders).set({ fulfillment: "queued", heldFor: null, leaseUntil: 0 }).where(eq(orders.id, comma));
  await again();
  await submitOrder(comma);
  expect(await readOrder(comma)).toMatchObject({ fulfillment: "held", heldFor: "splits_comments" });
  await change(providerId, false);
  await again();
  await submitOrder(comma);
  expect(await readOrder(comma)).toMatchObject({ fulfillment: "accepted" });
  expect(calls().map(({ comments }) => comments)).toEqual(["Great, thanks"]);
});

test("says of an order with a comma whose call was cut off that the provider may have it", async () => {
  const { providerId, place } = await commentProvider();
  const comma = await place("Great, thanks");
  await db
    .update(orders)
    .set({ attempts: 1, resendUntil: Date.now() + 60_000 })
    .where(eq(orders.id, comma));
  await change(providerId, true);
  const calls = accepts();
  await submitOrder(comma);
  expect(await readOrder(comma)).toMatchObject({ fulfillment: "held", heldFor: "cut_off" });
  expect(calls()).toEqual([]);
});

/** A provider with a service of comments. `place` places an order with these comments, or one without any. */
async function commentProvider() {
  const providerId = await sandboxProvider();
  const terms = { min: 1, max: 100, providerId } as const;
  const comments = await service({ ...terms, type: "Custom Comments", providerServiceId: "8" });
  const likes = await service({ ...terms, providerServiceId: "9" });
  const { userId } = await customerWith(MICRO);
  let links = 0;
  const place = async (text: string | null): Promise<number> => {
    const link = `https://instagram.com/p/${++links}`;
    const fields = text === null ? { link, quantity: "10" } : { link, comments: text };
    const serviceId = text === null ? likes : comments;
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    return placed.order.id;
  };
  return { providerId, place };
}

async function change(providerId: number, splitsComments: boolean): Promise<void> {
  await db.update(providers).set({ splitsComments }).where(eq(providers.id, providerId));
}

function accepts() {
  let ids = 0;
  return providerReplies(() => Response.json({ order: ++ids + Math.floor(Math.random() * 1e9) }));
}
