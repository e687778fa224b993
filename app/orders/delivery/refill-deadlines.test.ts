import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { type Order, orders, refills, services } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { readOrderDetail } from "#app/orders/list/order-rows.server.ts";
import { submitOrderAction } from "#app/orders/list/refill-cancellation-form.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

afterEach(() => void vi.restoreAllMocks());

test("takes a refill until the last millisecond of the promised days, and none after it", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service({ refill: true, refillDays: 30 });
  const [first, second] = [await delivered(userId, serviceId), await delivered(userId, serviceId)];
  const until = first.refillUntil ?? 0;
  expect(until).toBe(first.updatedAt + 30 * DAY_MS);
  const clock = vi.spyOn(Date, "now");
  clock.mockReturnValue(until - 1);
  const who = { userId, isTest: false };
  expect(await readOrderDetail(db, userId, first.id)).toMatchObject({ canRefill: true, refillUntil: until });
  expect(await requestRefill(db, who, first.id)).toMatchObject({ ok: true });
  clock.mockReturnValue(second.refillUntil ?? 0);
  expect(await readOrderDetail(db, userId, second.id)).toMatchObject({ canRefill: false });
  expect(await requestRefill(db, who, second.id)).toEqual({ ok: false, reason: "refill_expired" });
  expect(await submitOrderAction({ db, env }, userId, second.id, "refill")).toMatchObject({
    status: 409,
    result: { ok: false, message: expect.stringContaining("refill period is over") },
  });
  expect(await db.$count(refills, eq(refills.orderId, second.id))).toBe(0);
});

test("keeps what was promised at placing, whatever staff make of the service later", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service({ refill: true, refillDays: 30 });
  const promised = await place(userId, serviceId);
  const later = (terms: Partial<typeof services.$inferInsert>) =>
    db.update(services).set(terms).where(eq(services.id, serviceId));
  await later({ refillDays: 1 });
  const shorter = await place(userId, serviceId);
  await later({ refillDays: null });
  const unlimited = await place(userId, serviceId);
  await later({ refill: false, refillDays: 90 });
  const none = await place(userId, serviceId);
  const ended = [];
  for (const order of [promised, shorter, unlimited, none]) ended.push(await close(order, "Completed"));
  const daysOf = ({ refillUntil, updatedAt }: Order) => refillUntil && (refillUntil - updatedAt) / DAY_MS;
  expect(ended.map(daysOf)).toEqual([30, 1, null, null]);
  const who = { userId, isTest: false };
  const results = [];
  for (const { id } of ended) results.push(await requestRefill(db, who, id));
  const refused = { ok: false, reason: "not_refillable" };
  expect(results).toEqual([
    { ok: true, refillId: expect.any(Number) },
    expect.objectContaining({ ok: true }),
    refused,
    refused,
  ]);
});

test("counts the days from the end of the last run, of a partial order too, and of no canceled one", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service({ refill: true, refillDays: 7, dripfeed: true });
  const drip = await place(userId, serviceId, { runs: "3", interval: "60" });
  vi.spyOn(Date, "now").mockReturnValue(drip.createdAt + 5 * DAY_MS);
  expect((await close(drip, "Completed")).refillUntil).toBe(drip.createdAt + 12 * DAY_MS);
  const partial = await close(await place(userId, serviceId), "Partial");
  expect(partial.refillUntil).toBe(partial.updatedAt + 7 * DAY_MS);
  expect(await requestRefill(db, { userId, isTest: false }, partial.id)).toMatchObject({ ok: true });
  expect((await close(await place(userId, serviceId), "Canceled")).refillUntil).toBeNull();
});

test("tells API clients the days and the deadline, and refuses a late refill by its own text", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const other = await customerWith(MICRO);
  const serviceId = await service({ refill: true, refillDays: 30 });
  const order = await delivered(userId, serviceId);
  const listed = (await panel(apiKey, { action: "services" })) as { service: number }[];
  expect(listed.find((one) => one.service === serviceId)).toMatchObject({ refill_days: 30 });
  const refill_until = new Date(order.refillUntil ?? 0).toISOString();
  expect(await panel(apiKey, { action: "status", order: String(order.id) })).toMatchObject({ refill_until });
  await db
    .update(orders)
    .set({ refillUntil: Date.now() - 1 })
    .where(eq(orders.id, order.id));
  const request = { action: "refill", order: String(order.id) };
  expect(await panel(apiKey, request)).toEqual({ error: "Refill period of this order has expired" });
  expect(await panel(other.apiKey, request)).toEqual({ error: "Incorrect order ID" });
});

test("simulates the deadline of a test order", async () => {
  const { userId } = await customerWith(0);
  const { key } = await newKey(userId, { name: "test", scopes: ["read", "order"], isTest: true });
  const serviceId = String(await service({ refill: true, refillDays: 2 }));
  const add = { action: "add", service: serviceId, link: "https://instagram.com/p/1", quantity: "100" };
  const { order } = (await panel(key, add)) as { order: number };
  expect(await panel(key, { action: "status", order: String(order) })).toMatchObject({ refill_until: null });
  const [row] = await db.select().from(orders).where(eq(orders.id, order));
  const endedAt = (row?.createdAt ?? 0) + 5000;
  await db
    .update(orders)
    .set({ createdAt: (row?.createdAt ?? 0) - 2 * DAY_MS })
    .where(eq(orders.id, order));
  expect(await panel(key, { action: "status", order: String(order) })).toMatchObject({
    status: "Completed",
    refill_until: new Date(endedAt).toISOString(),
  });
  vi.spyOn(Date, "now").mockReturnValue(endedAt);
  expect(await requestRefill(db, { userId, isTest: true }, order)).toEqual({ ok: false, reason: "refill_expired" });
});

test("shows the deadline, a late order and the way to help to its owner alone, without scripts", async () => {
  const { userId, cookie } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  const serviceId = await service({ refill: true, refillDays: 30 });
  const done = await delivered(userId, serviceId);
  const late = await place(userId, serviceId);
  const onTime = await place(userId, serviceId);
  const at = Date.now();
  await db
    .update(orders)
    .set({ expectedBy: at - 1 })
    .where(eq(orders.id, late.id));
  await db
    .update(orders)
    .set({ expectedBy: at + DAY_MS })
    .where(eq(orders.id, onTime.id));
  const read = async (path: string) =>
    (await (await SELF.fetch(`https://growline.example${path}`, { headers: { Cookie: cookie } })).text()).replaceAll(
      /<!-- -->/g,
      "",
    );
  const day = new Date(done.refillUntil ?? 0).toISOString().slice(0, 10);
  expect(await read(`/dashboard/orders/${done.id}`)).toMatch(new RegExp(`Refill until <time[^>]*>${day}<`));
  const help = `/dashboard/orders/${late.id}?help=1#support-chat-order-${late.id}`;
  for (const path of ["/dashboard/orders", `/dashboard/orders/${late.id}`]) {
    const html = await read(path);
    expect(html).toContain(">Late<");
    expect(html).toContain(`href="${help}"`);
  }
  const expected = new Date(at + DAY_MS).toISOString().slice(0, 16).replace("T", " ");
  expect(await read(`/dashboard/orders/${onTime.id}`)).toMatch(
    new RegExp(`Usually done by <time[^>]*>${expected} UTC<`),
  );
  const stranger = await signedIn();
  const theirs = await SELF.fetch(`https://growline.example/dashboard/orders/${late.id}`, {
    headers: { Cookie: stranger.cookie },
  });
  expect(theirs.status).toBe(404);
});

async function place(userId: string, serviceId: number, more: Record<string, string> = {}): Promise<Order> {
  const fields = { link: `https://instagram.com/p/${crypto.randomUUID()}`, quantity: "100", ...more };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  return placed.order;
}

async function close(order: Order, status: FinalStatus): Promise<Order> {
  const remains = { Completed: 0, Partial: 50, Canceled: 100 }[status];
  await closeOrder(db, env, order, { status, remains, startCount: null });
  const [ended] = await db.select().from(orders).where(eq(orders.id, order.id));
  if (!ended) throw new Error("the order is gone");
  return ended;
}

async function delivered(userId: string, serviceId: number): Promise<Order> {
  return close(await place(userId, serviceId), "Completed");
}

async function panel(key: string, fields: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ key, ...fields });
  return (await SELF.fetch("https://growline.example/api/v2", { method: "POST", body })).json();
}
