import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, lt } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { searchOrders } from "#app/console/orders/list/find-orders.server.ts";
import type { OrderView } from "#app/console/orders/list/order-views.server.ts";
import { countWaiting, listStaffOrders } from "#app/console/orders/list/staff-order-list.server.ts";
import { readStaffOrder } from "#app/console/orders/timeline/staff-order.server.ts";
import { type Actor, listAudit } from "#app/db/audit.server.ts";
import { auditLog, cancellations, orders, refills } from "#app/db/schema.server.ts";
import { requestCancellation } from "#app/orders/fulfillment/cancellations.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { runFulfillment, submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { refundOrder, resolveHeld, setOrderStatus } from "./order-admin.server.ts";
import { submitOrderForm } from "./order-admin-form.server.ts";
import {
  decideCancellation,
  decideRefill,
  listWaitingCancellations,
  listWaitingRefills,
  readWaitingQuery,
} from "./refill-cancellation-queue.server.ts";

const CHARGE = 900_000;
const PENDING = { from: "Pending", reason: "" } as const;
const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("refunds the undelivered part once when staff set a status, and logs who and why", async () => {
  const { orderId, userId } = await placed();
  const to = { status: "Partial", remains: 250, startCount: 12, reason: "Three quarters delivered" } as const;
  const results = await Promise.all(Array.from({ length: 5 }, () => setOrderStatus(db, env, STAFF, orderId, to)));
  expect(results.filter((result) => result.ok)).toHaveLength(1);
  expect(await read(orderId)).toMatchObject({ status: "Partial", remains: 250, startCount: 12, refunded: 225_000 });
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE + 225_000);
  const log = await history(orderId);
  expect(log).toHaveLength(1);
  expect(log[0]).toMatchObject({
    actorId: "staff-1",
    actorName: "Grace Admin",
    action: "order.status",
    detail: { status: ["Pending", "Partial"], remains: [1000, 250], reason: "Three quarters delivered" },
  });
});

test("refuses to leave a final status, without an audit entry", async () => {
  const { orderId } = await placed();
  const to = { remains: 0, startCount: null, reason: "" };
  expect(await setOrderStatus(db, env, STAFF, orderId, { ...to, status: "Completed" })).toEqual({ ok: true });
  for (const status of ["Pending", "In progress", "Canceled"] as const) {
    expect(await setOrderStatus(db, env, STAFF, orderId, { ...to, status })).toEqual({ ok: false, reason: "final" });
  }
  const other = await placed();
  expect(await setOrderStatus(db, env, STAFF, other.orderId, { ...to, status: "Partial", remains: 1001 })).toEqual({
    ok: false,
    reason: "bad_remains",
  });
  expect(await history(orderId)).toHaveLength(1);
  expect(await history(other.orderId)).toHaveLength(0);
});

test("refuses to close or refund an order that is being sent", async () => {
  const { orderId } = await placed({ provider: true });
  await db
    .update(orders)
    .set({ fulfillment: "submitting", leaseUntil: Date.now() + 60_000 })
    .where(eq(orders.id, orderId));
  const to = { status: "Canceled", remains: 1000, startCount: null, reason: "" } as const;
  expect(await setOrderStatus(db, env, STAFF, orderId, to)).toEqual({ ok: false, reason: "sending" });
  expect(await read(orderId)).toMatchObject({ status: "Pending", refunded: 0 });
});

test("does not send an order that staff took out of the queue", async () => {
  const { orderId } = await placed({ provider: true });
  const to = { status: "In progress", remains: 1000, startCount: null, reason: "By hand" } as const;
  expect(await setOrderStatus(db, env, STAFF, orderId, to)).toEqual({ ok: true });
  await submitOrder(orderId);
  expect(await read(orderId)).toMatchObject({ fulfillment: "manual", status: "In progress", attempts: 0 });
});

test("shows which of the provider's ids could belong to an order that was cut off", async () => {
  const { providerId, orderIds } = await placeOrders(links(5));
  const [first = 0, second = 0, third = 0, fourth = 0] = orderIds;
  await giveIds(orderIds, ["700", "701", "702", "703", "704"]);
  await cutOff(third);
  const shown = await readStaffOrder(db, third);
  expect(shown?.evidence?.missing).toEqual([702]);
  expect(shown?.evidence?.neighbors.map(({ orderId }) => orderId)).toEqual([first, second, fourth, orderIds[4]]);
  expect(shown?.order).toMatchObject({ fulfillment: "held", providerOrderId: null, providerId });

  await giveIds([first, second, fourth], ["710", "711", "712"]);
  await giveIds([orderIds[4] ?? 0], ["713"]);
  expect((await readStaffOrder(db, third))?.evidence?.missing).toEqual([]);
  await giveIds([fourth], ["a-code"]);
  expect((await readStaffOrder(db, third))?.evidence?.missing).toBeNull();
  expect((await readStaffOrder(db, first))?.evidence).toBeNull();
});

function links(count: number): string[] {
  return Array.from({ length: count }, () => sandboxLink("still", crypto.randomUUID()));
}

async function giveIds(orderIds: number[], providerOrderIds: string[]): Promise<void> {
  for (const [n, id] of orderIds.entries()) {
    const accepted = { fulfillment: "accepted", providerOrderId: providerOrderIds[n] ?? "" } as const;
    await db.update(orders).set(accepted).where(eq(orders.id, id));
  }
}

async function cutOff(orderId: number): Promise<void> {
  await db.update(orders).set({ fulfillment: "held", providerOrderId: null }).where(eq(orders.id, orderId));
}

test("tracks a held order after staff resolved it as accepted", async () => {
  const { orderId } = await held("drop");
  const theirs = (await readStaffOrder(db, orderId))?.order;
  expect(theirs).toMatchObject({ fulfillment: "held", providerOrderId: null });
  // The sandbox accepted the order before it cut the connection. Its ids count up.
  const next = await placed({ provider: true, of: theirs?.serviceId });
  await submitOrder(next.orderId);
  const after = Number((await read(next.orderId))?.providerOrderId);
  const outcome = { kind: "accepted", providerOrderId: String(after - 1) } as const;
  expect(await resolveHeld(db, env, STAFF, orderId, outcome, "Seen in their panel")).toEqual({ ok: true });
  await runFulfillment();
  expect(await read(orderId)).toMatchObject({ fulfillment: "accepted", providerOrderId: String(after - 1) });
  expect((await read(orderId))?.startCount).toBeGreaterThan(0);
  expect(await resolveHeld(db, env, STAFF, orderId, outcome, "")).toEqual({ ok: false, reason: "not_held" });
});

test("refunds a held order once when several admins resolve it as refused", async () => {
  const { orderId, userId } = await held("500");
  const results = await Promise.all(
    Array.from({ length: 6 }, () => resolveHeld(db, env, STAFF, orderId, { kind: "refused" }, "Not in their panel")),
  );
  expect(results.filter((result) => result.ok)).toHaveLength(1);
  expect(await read(orderId)).toMatchObject({ status: "Canceled", fulfillment: "rejected", refunded: CHARGE });
  expect(await readBalance(db, userId)).toBe(MICRO);
  expect((await history(orderId)).map(({ action }) => action)).toEqual(["order.held_refused"]);
});

test("takes a provider order ID that an order at another provider has: panels count from one", async () => {
  const first = await placed({ provider: true });
  await submitOrder(first.orderId);
  const { orderId } = await placed({ provider: true, link: sandboxLink("500") });
  await submitOrder(orderId);
  const providerOrderId = (await read(first.orderId))?.providerOrderId ?? "";
  expect(await resolveHeld(db, env, STAFF, orderId, { kind: "accepted", providerOrderId }, "")).toEqual({ ok: true });
  expect(await read(orderId)).toMatchObject({ fulfillment: "accepted", providerOrderId });
});

test("refuses a provider order ID that another order uses", async () => {
  const first = await placed({ provider: true });
  await submitOrder(first.orderId);
  const accepted = await read(first.orderId);
  const { orderId } = await placed({
    provider: true,
    of: accepted?.serviceId,
    link: sandboxLink("500"),
  });
  await submitOrder(orderId);
  const outcome = { kind: "accepted", providerOrderId: accepted?.providerOrderId ?? "" } as const;
  expect(await resolveHeld(db, env, STAFF, orderId, outcome, "")).toEqual({ ok: false, reason: "provider_id_taken" });
  expect(await resolveHeld(db, env, STAFF, orderId, { kind: "again" }, "Not in their panel")).toEqual({ ok: true });
  expect(await read(orderId)).toMatchObject({ fulfillment: "queued" });
});

test("refunds a completed order once, up to its charge", async () => {
  const { orderId, userId } = await placed();
  await setOrderStatus(db, env, STAFF, orderId, { status: "Completed", remains: 0, startCount: null, reason: "" });
  const refund = (amount: number) => refundOrder(db, STAFF, orderId, { amount, reason: "Low quality" });
  expect(await refund(CHARGE + 1)).toEqual({ ok: false, reason: "bad_amount" });
  const results = await Promise.all(Array.from({ length: 5 }, () => refund(300_000)));
  expect(results.filter((result) => result.ok)).toHaveLength(1);
  expect(await readBalance(db, userId)).toBe(MICRO - CHARGE + 300_000);
  expect(await refund(1)).toEqual({ ok: false, reason: "refund_given" });
});

test("hides test orders and refuses to close or refund them", async () => {
  const { orderId, userId } = await placed({ isTest: true });
  const to = { status: "Canceled", remains: 1000, startCount: null, reason: "" } as const;
  expect(await setOrderStatus(db, env, STAFF, orderId, to)).toEqual({ ok: false, reason: "not_found" });
  expect(await refundOrder(db, STAFF, orderId, { amount: 1, reason: "" })).toEqual({ ok: false, reason: "not_found" });
  expect(await readStaffOrder(db, orderId)).toBeNull();
  // A provider may have the same number for a live order.
  expect((await searchOrders(db, String(orderId)))?.ids ?? []).not.toContain(orderId);
  expect(await listStaffOrders(db, { view: "all", userId }, 10)).toEqual([]);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("lists a manual refill until staff decide it", async () => {
  const { orderId, userId } = await placed();
  await setOrderStatus(db, env, STAFF, orderId, { status: "Completed", remains: 0, startCount: null, reason: "" });
  const request = await requestRefill(db, { userId, isTest: false }, orderId);
  if (!request.ok) throw new Error(request.reason);
  expect(
    (await listWaitingRefills(db, readWaitingQuery(new URLSearchParams(), ""), null, 50)).rows.map(({ id }) => id),
  ).toContain(request.refillId);
  const before = (await countWaiting(db)).refills;
  expect(await decideRefill(db, STAFF, request.refillId, { ...PENDING, status: "In progress" })).toEqual({ ok: true });
  // Another admin still sees it pending.
  expect(await decideRefill(db, STAFF, request.refillId, { ...PENDING, status: "Rejected" })).toEqual({
    ok: false,
    reason: "changed",
  });
  const started = { from: "In progress", reason: "" } as const;
  expect(await decideRefill(db, STAFF, request.refillId, { ...started, status: "Completed" })).toEqual({ ok: true });
  const late = await decideRefill(db, STAFF, request.refillId, { ...started, status: "Rejected" });
  expect(late).toEqual({ ok: false, reason: "changed" });
  const [refill] = await db.select().from(refills).where(eq(refills.id, request.refillId));
  expect(refill?.status).toBe("Completed");
  expect((await countWaiting(db)).refills).toBe(before - 1);
});

test("holds an order no more whose cancellation staff accept", async () => {
  const { orderId, userId } = await placed();
  await requestCancellation(db, env, { userId, isTest: false }, orderId);
  await db.update(orders).set({ fulfillment: "held", heldFor: "unreadable" }).where(eq(orders.id, orderId));
  expect(
    await decideCancellation(db, env, STAFF, orderId, { kind: "accept", remains: 1000, seen: 1000, reason: "" }),
  ).toEqual({ ok: true });
  const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
  expect(order).toMatchObject({ status: "Canceled", fulfillment: "manual", heldFor: null });
  expect(order?.history).toMatch(/^m\d+X\d+$/);
});

test("accepts a manual cancellation with a refund, or rejects it without one", async () => {
  const yes = await placed();
  const no = await placed();
  for (const { orderId, userId } of [yes, no]) await requestCancellation(db, env, { userId, isTest: false }, orderId);
  const waiting = (await listWaitingCancellations(db, readWaitingQuery(new URLSearchParams(), ""), null, 50)).rows.map(
    ({ orderId }) => orderId,
  );
  expect(waiting).toEqual(expect.arrayContaining([yes.orderId, no.orderId]));
  const accept = { kind: "accept", remains: 1000, seen: 1000, reason: "Not started" } as const;
  // A colleague noted meanwhile that some is delivered.
  await db.update(orders).set({ remains: 400 }).where(eq(orders.id, yes.orderId));
  expect(await decideCancellation(db, env, STAFF, yes.orderId, accept)).toEqual({ ok: false, reason: "changed" });
  await db.update(orders).set({ remains: 1000 }).where(eq(orders.id, yes.orderId));
  expect(await decideCancellation(db, env, STAFF, yes.orderId, accept)).toEqual({ ok: true });
  expect(await decideCancellation(db, env, STAFF, yes.orderId, accept)).toEqual({ ok: false, reason: "final" });
  expect(await decideCancellation(db, env, STAFF, no.orderId, { kind: "reject", reason: "Started" })).toEqual({
    ok: true,
  });
  expect(await readBalance(db, yes.userId)).toBe(MICRO);
  expect(await readBalance(db, no.userId)).toBe(MICRO - CHARGE);
  const settled = await db.select().from(cancellations);
  const statusOf = (id: number) => settled.find(({ orderId }) => orderId === id)?.status;
  expect([statusOf(yes.orderId), statusOf(no.orderId)]).toEqual(["Accepted", "Rejected"]);
});

test("tracks a held order only under an id that its provider can be asked for", async () => {
  const { orderId } = await held("500");
  const context = { db, env } as unknown as AppLoadContext;
  const resolve = async (providerOrderId: string) => {
    const form = new FormData();
    const seen = String((await read(orderId))?.updatedAt);
    const fields = { intent: "resolve", outcome: "accepted", providerOrderId, seen, reason: "Seen in the panel" };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return submitOrderForm(context, STAFF, orderId, form);
  };
  for (const id of ["", "0", "-5", "1,2,3", "__proto__", "see notes"]) {
    expect(await resolve(id), id).toMatchObject({ kind: "shown", status: 400 });
  }
  expect(await read(orderId)).toMatchObject({ fulfillment: "held", providerOrderId: null });
  const id = crypto.randomUUID();
  expect(await resolve(` ${id} `)).toMatchObject({ kind: "done" });
  expect(await read(orderId)).toMatchObject({ fulfillment: "accepted", providerOrderId: id });
});

test("reads every view from an index", async () => {
  const plan = async (view: OrderView, userId?: string) => {
    const { sql, params } = listStaffOrders(
      db,
      { view, userId: userId ?? null, where: lt(orders.id, 900) },
      50,
    ).toSQL();
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const steps = results.map(({ detail }) => detail);
    expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
    return steps[0];
  };
  expect(await plan("held")).toContain("orders_held");
  expect(await plan("manual")).toContain("orders_by_hand");
  expect(await plan("Canceled")).toContain("orders_by_status");
  expect(await plan("all")).toContain("PRIMARY KEY");
  expect(await plan("Completed", "somebody")).toContain("orders_by_user");
});

test("reads an order with its service, provider, customer and provider responses", async () => {
  const { orderId, userId } = await held("500");
  const page = await readStaffOrder(db, orderId);
  expect(page).toMatchObject({
    order: { id: orderId, link: sandboxLink("500"), status: "Pending" },
    service: { name: "Likes", refill: true },
    provider: { name: expect.stringContaining("Sandbox") },
    customer: { userId, fullName: "Test Customer" },
    balance: MICRO - CHARGE,
    log: [{ action: "add", httpStatus: 500 }],
    entries: [{ kind: "charge", amount: -CHARGE }],
  });
  expect(page?.order).not.toHaveProperty("requestDigest");
});

test("writes no audit entry when the action fails", async () => {
  const before = await db.$count(auditLog);
  expect(await resolveHeld(db, env, STAFF, 999_999, { kind: "refused" }, "")).toEqual({
    ok: false,
    reason: "not_found",
  });
  expect(await db.$count(auditLog)).toBe(before);
});

async function placed(
  given: { provider?: boolean; link?: string; isTest?: boolean; of?: number | undefined } = {},
): Promise<{ orderId: number; userId: string }> {
  const { userId } = await customerWith(MICRO);
  const serviceId =
    given.of ??
    (await service({
      refill: true,
      cancel: true,
      ...(given.provider && { providerId: await sandboxProvider(), providerServiceId: "1" }),
    }));
  const result = await placeOrder(db, userId, {
    serviceId,
    fields: { link: given.link ?? "https://instagram.com/p/1", quantity: "1000" },
    idempotencyKey: null,
    source: "web",
    isTest: given.isTest ?? false,
  });
  if (!result.ok) throw new Error(result.fault.reason);
  return { orderId: result.order.id, userId };
}

async function held(fault: SandboxFault) {
  const heldOrder = await placed({ provider: true, link: sandboxLink(fault) });
  await submitOrder(heldOrder.orderId);
  return heldOrder;
}

async function read(orderId: number) {
  const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
  return order;
}

function history(orderId: number) {
  return listAudit(db, { subject: "order", subjectId: String(orderId) }, 50);
}
