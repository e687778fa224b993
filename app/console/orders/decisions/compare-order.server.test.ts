import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { auditLog, orders, providerLog } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { applyComparison, compareWithProvider } from "./compare-order.server.ts";

const STAFF = { userId: "staff-compare", name: "Grace Admin" };

test("shows what a provider says beside what we have, and changes nothing but the log", async () => {
  const { id } = await accepted();
  const before = await readOrder(id);
  const calls = providerSays(id, { status: "In progress", remains: "400", start_count: "7", charge: "0.45" });
  expect(await compareWithProvider(db, env, id)).toMatchObject({
    ours: { status: "Pending", remains: 1000, startCount: null, cost: null },
    theirs: { status: "In progress", remains: 400, startCount: 7, cost: 450_000 },
    words: expect.stringContaining('"remains":"400"'),
    effect: { kind: "goes_on", status: "In progress" },
  });
  expect(calls()).toBe(1);
  expect(await readOrder(id)).toEqual(before);
  expect(await db.$count(providerLog, eq(providerLog.orderId, id))).toBe(1);
});

test("applies what was shown as the status sync does: progress, an end with its refund, and a held order's release", async () => {
  const { id, userId } = await accepted();
  providerSays(id, { status: "In progress", remains: "400", charge: "0.45" });
  expect(await apply(id)).toMatchObject({ applied: true });
  expect(await readOrder(id)).toMatchObject({ status: "In progress", remains: 400, cost: 450_000 });
  await db.update(orders).set({ fulfillment: "held", heldFor: "no_remains" }).where(eq(orders.id, id));
  expect(await compareWithProvider(db, env, id)).toMatchObject({ effect: { kind: "goes_on" } });
  expect(await apply(id)).toMatchObject({ applied: true });
  expect(await readOrder(id)).toMatchObject({ fulfillment: "accepted", heldFor: null });
  providerSays(id, { status: "Partial", remains: "500", charge: "0.2" });
  expect(await compareWithProvider(db, env, id)).toMatchObject({ effect: { kind: "ends", refund: 450_000 } });
  expect(await apply(id)).toMatchObject({ applied: true });
  expect(await readOrder(id)).toMatchObject({ status: "Partial", remains: 500, refunded: 450_000 });
  expect(await readBalance(db, userId)).toBe(MICRO - 450_000);
  const entries = await db
    .select()
    .from(auditLog)
    .where(eq(auditLog.subjectId, String(id)));
  expect(entries.map(({ action, detail }) => [action, detail.status])).toEqual([
    ["order.compare", ["Pending", "In progress"]],
    ["order.compare", ["In progress", "In progress"]],
    ["order.compare", ["In progress", "Partial"]],
  ]);
  expect(await apply(id)).toMatchObject({ applied: false, comparison: { effect: { kind: "ended" } } });
});

test("applies nothing if the answer or the order changed since, or says too little", async () => {
  const { id } = await accepted();
  providerSays(id, { status: "In progress", remains: "400" });
  const shown = await compareWithProvider(db, env, id);
  providerSays(id, { status: "In progress", remains: "300" });
  const digest = shown?.digest ?? "";
  expect(await applyComparison(db, env, STAFF, id, { digest, reason: "" })).toMatchObject({ applied: false });
  for (const [says, kind] of [
    [{ status: "Moon" }, "unreadable"],
    [{ error: "Incorrect order ID" }, "unreadable"],
    [{ status: "Canceled" }, "no_remains"],
    [{ status: "Pending", remains: "1000" }, "same"],
  ] as const) {
    providerSays(id, says);
    expect(await apply(id), kind).toMatchObject({ applied: false, comparison: { effect: { kind } } });
  }
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.reject(new Error("connection lost")));
  expect(await compareWithProvider(db, env, id)).toMatchObject({
    theirs: null,
    words: expect.stringContaining("lost"),
  });
  expect(await readOrder(id)).toMatchObject({ status: "Pending", remains: 1000, unreadableSince: 0 });
  await db.update(orders).set({ providerOrderId: null, fulfillment: "held" }).where(eq(orders.id, id));
  expect(await compareWithProvider(db, env, id)).toBeNull();
});

async function accepted() {
  const { orderIds, userId } = await placeOrders(["https://instagram.com/p/compare"]);
  await acceptOrders(orderIds);
  return { id: orderIds[0] ?? 0, userId };
}

async function apply(id: number) {
  const shown = await compareWithProvider(db, env, id);
  return applyComparison(db, env, STAFF, id, { digest: shown?.digest ?? "", reason: "Seen there" });
}

/** Lets the provider say this of the order, and returns how often it was asked. */
function providerSays(id: number, entry: Record<string, unknown>): () => number {
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ [`there-${id}`]: entry }));
  asked.mockClear();
  return () => asked.mock.calls.length;
}
