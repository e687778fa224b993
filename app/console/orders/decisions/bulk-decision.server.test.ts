import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, desc, eq, inArray } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { auditLog, auditSubjects, orders, providers } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { decideTogether, MAX_DECIDED, proposeIds, readSelectedOrders } from "./bulk-decision.server.ts";
import { submitBulkDecision } from "./bulk-decision-form.server.ts";
import { planDecision, readBulkDecision, sumsOf } from "./bulk-decision-plan.ts";
import { resolveHeld } from "./order-admin.server.ts";
import { submitOrderForm } from "./order-admin-form.server.ts";

const STAFF = { userId: "staff-bulk", name: "Grace Admin" };
const CHARGE = 900_000;

test("cancels and refunds 30 held orders, and leaves the one that changed meanwhile and names it", async () => {
  const { userId, orderIds } = await held(30);
  const form = await formOf(orderIds, "refund");
  const [changed = 0] = orderIds;
  expect(await resolveHeld(db, env, STAFF, changed, { kind: "accepted", providerOrderId: "seen" }, "Seen")).toEqual({
    ok: true,
  });
  const { refunds, count } = sumsOf(form.plan.rows.filter(({ id }) => id !== changed));
  expect([refunds, count]).toEqual([29 * CHARGE, 29]);
  const outcome = await submit(orderIds, form);
  expect(outcome).toMatchObject({ kind: "shown", status: 200, result: { ok: true } });
  expect(JSON.stringify(outcome)).toContain("Canceled 29 orders and refunded $26.10");
  expect(JSON.stringify(outcome)).toContain(`Left alone: ${changed} (changed meanwhile)`);
  const rows = await db.select().from(orders).where(inArray(orders.id, orderIds));
  expect(rows.filter(({ status, fulfillment }) => status === "Canceled" && fulfillment === "rejected")).toHaveLength(
    29,
  );
  expect(await readOrder(changed)).toMatchObject({ fulfillment: "accepted", providerOrderId: "seen", refunded: 0 });
  expect(await readBalance(db, userId)).toBe(30 * MICRO - CHARGE);
  expect(await checkLedger(db)).toEqual([]);
  const [whole] = await db
    .select()
    .from(auditLog)
    .where(eq(auditLog.action, "orders.decide"))
    .orderBy(desc(auditLog.id));
  expect(whole?.detail).toMatchObject({ decision: "refund", count: 29, amount: refunds, charge: 29 * CHARGE });
  expect(await db.$count(auditSubjects, eq(auditSubjects.entryId, whole?.id ?? 0))).toBe(29);
  const each = await db.select().from(auditLog).where(eq(auditLog.action, "order.held_refused"));
  expect(each.filter(({ detail }) => detail.bulk === form.once)).toHaveLength(29);
});

test("changes nothing twice if the form is submitted twice, one after the other or at once", async () => {
  const { userId, orderIds } = await held(4);
  const form = await formOf(orderIds, "refund");
  const outcomes = await Promise.all([submit(orderIds, form), submit(orderIds, form)]);
  outcomes.push(await submit(orderIds, form));
  expect(outcomes.filter((outcome) => outcome?.kind === "done")).toHaveLength(1);
  expect(await readBalance(db, userId)).toBe(4 * MICRO);
  expect(await db.$count(auditLog, eq(auditLog.onceKey, form.once))).toBe(1);
  expect(await checkLedger(db)).toEqual([]);
});

test("goes on where it was cut off if the form is sent again, and decides no order twice", async () => {
  const { userId, orderIds } = await held(6);
  const form = await formOf(orderIds, "refund");
  const cut = connect(env.DB);
  const batch = cut.batch.bind(cut);
  // The entry about the whole and two orders are stored; then the process is killed.
  let stored = 0;
  vi.spyOn(cut, "batch").mockImplementation((statements) => {
    if (++stored > 3) throw new Error("killed");
    return batch(statements);
  });
  await expect(submit(orderIds, form, {}, cut)).rejects.toThrow("killed");
  expect(await readBalance(db, userId)).toBe(6 * MICRO - 4 * CHARGE);
  expect(await submit(orderIds, form)).toMatchObject({
    kind: "done",
    message: "Canceled 4 orders and refunded $3.60.",
  });
  expect(await submit(orderIds, form)).toMatchObject({ kind: "shown", status: 409 });
  expect(await readBalance(db, userId)).toBe(6 * MICRO);
  const each = await db.select().from(auditLog).where(eq(auditLog.action, "order.held_refused"));
  expect(each.filter(({ detail }) => detail.bulk === form.once)).toHaveLength(6);
  expect(await checkLedger(db)).toEqual([]);
});

test("leaves alone an order that was sent again meanwhile and is held anew, alone and in a selection", async () => {
  const { orderIds } = await held(2);
  const [first = 0, second = 0] = orderIds;
  const form = await formOf(orderIds, "again");
  const seen = String((await readOrder(first)).updatedAt);
  // A colleague sent the first one, and the provider may have it now.
  await db
    .update(orders)
    .set({ updatedAt: Date.now() + 1 })
    .where(eq(orders.id, first));
  const data = new FormData();
  const fields = { intent: "resolve", outcome: "again", seen, reason: "Not there" };
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  const context = { db, env, waitUntil: () => {} } as unknown as AppLoadContext;
  expect(await submitOrderForm(context, STAFF, first, data)).toMatchObject({ kind: "shown", status: 409 });
  data.delete("seen");
  expect(await submitOrderForm(context, STAFF, first, data)).toMatchObject({ kind: "shown", status: 400 });
  // As if it changed between the plan and the decision.
  const given = { decision: "again", reason: "Not there", onceKey: form.once, theirs: new Map() } as const;
  const asSeen = new Map(form.plan.rows.map(({ id, updatedAt }) => [id, updatedAt]));
  const decided = await decideTogether(db, env, STAFF, form.plan, { ...given, seen: asSeen });
  expect(decided).toMatchObject({ done: [{ id: second }], left: [{ id: first, why: "changed" }] });
  expect(await readOrder(first)).toMatchObject({ fulfillment: "held" });
});

test("decides about the most orders that it takes within the statements that a request may send", async () => {
  const { orderIds } = await held(4);
  const counted = countedDatabase(env.DB);
  const started = { ...counted.counts };
  expect(await submit(orderIds, await formOf(orderIds, "refund"), {}, connect(counted.database))).toMatchObject({
    kind: "done",
  });
  const queries = counted.counts.queries - started.queries;
  const one = await held(1);
  const single = countedDatabase(env.DB);
  await submit(one.orderIds, await formOf(one.orderIds, "refund"), {}, connect(single.database));
  const perOrder = (queries - single.counts.queries) / 3;
  expect(single.counts.queries + (MAX_DECIDED - 1) * perOrder).toBeLessThan(950);
});

test("sends held orders again, but none of a deleted account", async () => {
  const { orderIds } = await held(3);
  const [deleted = 0, ...others] = orderIds;
  await db.update(orders).set({ link: "", requestDigest: "" }).where(eq(orders.id, deleted));
  const form = await formOf(orderIds, "again");
  expect(form.plan.left).toEqual([{ id: deleted, why: "no_fields" }]);
  expect(await submit(orderIds, form)).toMatchObject({ kind: "done", message: "Sending 2 orders again." });
  for (const id of others) expect(await readOrder(id)).toMatchObject({ fulfillment: "queued", heldFor: null });
  expect(await readOrder(deleted)).toMatchObject({ fulfillment: "held" });
});

test("proposes no ID where several may be the order's, and none that another order has", async () => {
  const { orderIds } = await held(4);
  const [before = 0, first = 0, second = 0, after = 0] = orderIds;
  const accept = (id: number, theirs: string) =>
    db.update(orders).set({ fulfillment: "accepted", heldFor: null, providerOrderId: theirs }).where(eq(orders.id, id));
  await accept(before, "900");
  await accept(after, "903");
  const { plan } = await formOf([first, second], "follow");
  expect(await proposeIds(db, plan.rows)).toEqual({});
  await accept(first, "901");
  expect(await proposeIds(db, (await formOf([second], "follow")).plan.rows)).toEqual({ [second]: "902" });
});

test("tracks orders under the ids that are known, typed or proposed, and leaves those without one", async () => {
  const { providerId, orderIds } = await held(5);
  const [before = 0, known = 0, typed = 0, none = 0, after = 0] = orderIds;
  for (const [id, theirs] of [
    [before, "700"],
    [after, "702"],
  ] as const) {
    await db
      .update(orders)
      .set({ fulfillment: "accepted", heldFor: null, providerOrderId: theirs })
      .where(eq(orders.id, id));
  }
  await db.update(orders).set({ providerOrderId: "699" }).where(eq(orders.id, known));
  const selected = [known, typed, none];
  const form = await formOf(selected, "follow");
  expect(await proposeIds(db, form.plan.rows)).toEqual({ [typed]: "701", [none]: "701" });
  const outcome = await submit(selected, form, { [`theirs-${typed}`]: " 701 ", [`theirs-${none}`]: "" });
  expect(JSON.stringify(outcome)).toContain("Tracking 2 orders.");
  expect(JSON.stringify(outcome)).toContain(`${none} (no provider order ID)`);
  expect(await readOrder(known)).toMatchObject({ fulfillment: "accepted", providerOrderId: "699" });
  expect(await readOrder(typed)).toMatchObject({ fulfillment: "accepted", providerOrderId: "701", providerId });
  const again = await formOf([none], "follow");
  expect(JSON.stringify(await submit([none], again, { [`theirs-${none}`]: "701" }))).toContain(
    "another order has this",
  );
  const bad = await submit([none], await formOf([none], "follow"), { [`theirs-${none}`]: "see notes" });
  expect(bad).toMatchObject({ kind: "shown", status: 400 });
  expect(await readOrder(none)).toMatchObject({ fulfillment: "held", providerOrderId: null });
});

test("selects at most 100 orders, no test order, and nothing that is no id", async () => {
  const { orderIds } = await held(2);
  await db
    .update(orders)
    .set({ isTest: true })
    .where(eq(orders.id, orderIds[0] ?? 0));
  const ids = [...orderIds.map(String), "x", "-1", "99999999999"];
  const many = new URLSearchParams(
    [...ids, ...Array.from({ length: 300 }, (_, n) => String(n + 1_000_000))].map((id) => ["id", id]),
  );
  expect((await readSelectedOrders(db, many)).map(({ id }) => id)).toEqual([orderIds[1]]);
  expect(readBulkDecision("constructor")).toBe("again");
});

/** Places orders of one customer that are held as cut off. */
async function held(count: number) {
  const placed = await placeOrders(Array.from({ length: count }, (_, n) => `https://instagram.com/p/bulk${n}`));
  await db.update(providers).set({ enabled: false }).where(eq(providers.id, placed.providerId));
  await db
    .update(orders)
    .set({ fulfillment: "held", heldFor: "cut_off" })
    .where(and(inArray(orders.id, placed.orderIds)));
  return placed;
}

async function formOf(ids: number[], decision: "again" | "refund" | "follow") {
  const plan = planDecision(await readSelectedOrders(db, paramsOf(ids)), decision);
  const seen = plan.rows.map(({ id, updatedAt }) => `${id}:${updatedAt}`).join(",");
  return { plan, decision, seen, once: crypto.randomUUID() };
}

function submit(ids: number[], form: Awaited<ReturnType<typeof formOf>>, more: Record<string, string> = {}, at = db) {
  const { decision, seen, once } = form;
  const data = new FormData();
  const fields = { intent: "decide", decision, seen, once, reason: "Looked there", ...more };
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  const context = { db: at, env, waitUntil: () => {} } as unknown as AppLoadContext;
  return submitBulkDecision(context, STAFF, paramsOf(ids), data);
}

function paramsOf(ids: number[]): URLSearchParams {
  return new URLSearchParams(ids.map((id) => ["id", String(id)]));
}
