import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, expect, test } from "vitest";
import { resolveHeld } from "#app/console/orders/decisions/order-admin.server.ts";
import { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import { checkouts, orders, refills, services, settings } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { redeemCode } from "#app/orders/top-up/redeem-code.server.ts";
import { submitTopUpForm } from "#app/orders/top-up/top-up-form.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { listSettings, saveSetting } from "#app/settings/settings-store.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { stripeEnv } from "#tests/workerd/stripe-events.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";

const ADMIN = { userId: "admin", name: "Al" };
const TEXT = "Back at 14:00 UTC.";

afterEach(() => db.delete(settings));

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("refuses an order by terms that an isolate remembers, by both APIs in their own shapes, and takes it again after", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const id = await service();
  const order = { service: String(id), link: "https://instagram.com/p/closed", quantity: "100" };
  const v1 = async (key = apiKey) =>
    SELF.fetch(`${SITE}/api/v1/create_order`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(order),
    });
  const panel = async () =>
    SELF.fetch(`${SITE}/api/v2`, {
      method: "POST",
      body: new URLSearchParams({ key: apiKey, action: "add", ...order }),
    });
  expect((await v1()).status).toBe(201);
  await maintenance(true);
  for (let time = 0; time < 2; time++) {
    const refused = await v1();
    expect(refused.status).toBe(503);
    expect(refused.headers.get("Content-Type")).toContain("application/problem+json");
    expect(await refused.json()).toMatchObject({ code: "maintenance", detail: TEXT });
    const answer = await panel();
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { error: "New orders are paused for maintenance, try again later" },
    ]);
  }
  const test = await newKey(userId, { name: "test", scopes: ["order"], isTest: true });
  expect((await v1(test.key)).status).toBe(503);
  expect(await placed(userId)).toBe(1);
  await maintenance(false);
  expect((await v1()).status).toBe(201);
  expect(await (await panel()).json()).toHaveProperty("order");
  expect(await placed(userId)).toBe(3);
});

test("returns the order of a repeated key in maintenance, so that a client whose answer was lost learns of it", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const input = { serviceId: await service(), fields: FIELDS, idempotencyKey: "again", source: "api" as const };
  expect(await placeOrder(db, userId, input)).toMatchObject({ ok: true, replayed: false });
  await maintenance(true);
  expect(await placeOrder(db, userId, input)).toMatchObject({ ok: true, replayed: true });
  expect(await placeOrder(db, userId, { ...input, idempotencyKey: "new" })).toEqual({
    ok: false,
    fault: { reason: "maintenance", text: TEXT },
  });
});

test("ends each order that races with the switch either placed and charged or refused, and none after it", async () => {
  const { userId } = await customerWith(100 * MICRO);
  const catalog = new CatalogCache();
  const serviceId = await service({ rate: MICRO });
  const place = () =>
    placeOrder(db, userId, { serviceId, fields: FIELDS, idempotencyKey: null, source: "api" }, catalog);
  await place();
  const before = Array.from({ length: 10 }, place);
  const switched = maintenance(true);
  const during = Array.from({ length: 10 }, place);
  await switched;
  const after = await Promise.all(Array.from({ length: 5 }, place));
  const results = await Promise.all([...before, ...during]);
  const taken = results.filter(({ ok }) => ok).length;
  for (const result of [...results, ...after]) {
    if (!result.ok) expect(result.fault).toEqual({ reason: "maintenance", text: TEXT });
  }
  expect(after.every(({ ok }) => !ok)).toBe(true);
  expect(await placed(userId)).toBe(taken + 1);
  expect(await readBalance(db, userId)).toBe(100 * MICRO - (taken + 1) * (MICRO / 10));
});

test("refuses a mass order, also one whose lines were checked before the switch", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await service();
  const text = `${id}|https://instagram.com/p/1|1000`;
  const input = { text, source: "", idempotencyKey: "mass-a", onlyValid: false, agreedCharge: 900_000 };
  await maintenance(true);
  const refusal = { ok: false, reason: "maintenance", text: expect.stringContaining(TEXT) };
  expect(await placeMassOrder(db, userId, input)).toMatchObject(refusal);
  await maintenance(false);
  // The switch comes between the check of the lines and the write.
  const slow = Object.assign(Object.create(db), {
    batch: async (...statements: Parameters<typeof db.batch>) => {
      await maintenance(true);
      return db.batch(...statements);
    },
  });
  expect(await placeMassOrder(slow, userId, input)).toMatchObject(refusal);
  expect(await placed(userId)).toBe(0);
  await maintenance(false);
  expect(await placeMassOrder(db, userId, input)).toMatchObject({ ok: true });
});

test("opens no payment page and keeps a code whole in maintenance", async () => {
  const { userId, email } = await customerWith(0);
  const batch = { name: "Test", amount: MICRO, maxUses: 1, count: 1, expiresAt: null };
  const created = await createCodes(db, ADMIN, batch, crypto.randomUUID());
  const [code = ""] = created?.codes ?? [];
  await maintenance(true);
  const context = loadContext({ env: { ...env, ...stripeEnv(), STRIPE_WEBHOOK_SECRET: "whsec_x" } });
  const form = new FormData();
  form.set("intent", "card");
  form.set("amount", "20");
  const request = new Request(`${SITE}/dashboard/top-up`, { method: "POST" });
  const outcome = await submitTopUpForm(context, request, form, { userId, email });
  expect(outcome).toMatchObject({ status: 409, result: { fieldErrors: { amount: expect.stringContaining(TEXT) } } });
  expect(await db.select().from(checkouts).where(eq(checkouts.userId, userId))).toEqual([]);
  expect(await redeemCode(db, userId, code)).toEqual({ ok: false, reason: "maintenance", text: TEXT });
  await maintenance(false);
  expect(await redeemCode(db, userId, code)).toMatchObject({ ok: true });
});

test("runs orders to their end in maintenance: sent, polled, refunded, refilled, canceled, and held ones decided", async () => {
  const links = ["partial", "completed", "canceled", "held"].map((name) => sandboxLink(null, `closed-${name}`));
  const { providerId, userId, orderIds } = await placeOrders(links);
  await db.update(services).set({ refill: true }).where(eq(services.providerId, providerId));
  const [, completed = 0, canceled = 0, held = 0] = orderIds;
  const there: Record<string, object> = {};
  const calls = providerReplies((params) => {
    const { action, link = "", orders: asked = "", order = "" } = params;
    // The last one's answer can't be read, so nobody knows whether it was taken.
    if (action === "add" && link.includes("held")) return new Response("<html>");
    if (action === "add") return Response.json({ order: numberOf(link) });
    if (action === "status") {
      const ids = (asked || order).split(",");
      return Response.json(asked ? Object.fromEntries(ids.map((id) => [id, there[id] ?? IN_PROGRESS])) : there[order]);
    }
    if (action === "refill") return Response.json({ refill: 77 });
    if (action === "refill_status") return Response.json([{ refill: 77, status: "Completed" }]);
    if (action === "cancel") return Response.json(asked.split(",").map((id) => ({ order: id, cancel: 1 })));
    return Response.json({ balance: "100.00", currency: "USD" });
  });
  await maintenance(true);
  await runFulfillment();
  expect((await states(orderIds)).map(([, fulfillment]) => fulfillment)).toEqual([
    "accepted",
    "accepted",
    "accepted",
    "held",
  ]);
  expect(await requestCancellation(db, env, { userId, isTest: false }, canceled)).toEqual({ ok: true });
  there["1"] = { status: "Partial", remains: "400", start_count: "5", charge: "0.27", currency: "USD" };
  there["2"] = { status: "Completed", remains: "0", start_count: "5", charge: "0.45", currency: "USD" };
  await runFulfillment();
  there["3"] = { status: "Canceled", remains: "1000", start_count: "5", charge: "0", currency: "USD" };
  await runFulfillment();
  expect(await requestRefill(db, { userId, isTest: false }, completed)).toMatchObject({ ok: true });
  await runFulfillment();
  await runFulfillment();
  expect(await resolveHeld(db, env, ADMIN, held, { kind: "refused" }, "The provider has no record")).toEqual({
    ok: true,
  });
  expect((await states(orderIds)).map(([status, , refunded]) => [status, refunded])).toEqual([
    ["Partial", 360_000],
    ["Completed", 0],
    ["Canceled", 900_000],
    ["Canceled", 900_000],
  ]);
  expect(await db.select().from(refills).where(eq(refills.orderId, completed))).toMatchObject([
    { status: "Completed" },
  ]);
  expect(new Set(calls().map(({ action }) => action))).toEqual(
    new Set(["add", "status", "cancel", "refill", "refill_status"]),
  );
  expect(await readBalance(db, userId)).toBe(4 * MICRO - 4 * 900_000 + 360_000 + 2 * 900_000);
});

const IN_PROGRESS = { status: "In progress", remains: "1000", start_count: "5", charge: "0.45", currency: "USD" };

function numberOf(link: string): number {
  return ["partial", "completed", "canceled"].findIndex((name) => link.includes(name)) + 1;
}

/** Returns the status, the fulfillment and the refund of each order. */
async function states(orderIds: number[]) {
  const found = await Promise.all(orderIds.map(readOrder));
  return found.map(({ status, fulfillment, refunded }) => [status, fulfillment, refunded] as const);
}

const FIELDS = { link: "https://instagram.com/p/1", quantity: "100" };

async function maintenance(on: boolean): Promise<void> {
  const version = (await listSettings(db, env)).find(({ name }) => name === "maintenance")?.version ?? 0;
  expect(await saveSetting(db, env, ADMIN, { name: "maintenance", value: { on, text: TEXT }, version })).toEqual({
    ok: true,
    isChanged: true,
  });
}

async function placed(userId: string): Promise<number> {
  return (await db.select({ id: orders.id }).from(orders).where(eq(orders.userId, userId))).length;
}
