import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Actor } from "#app/db/audit.server.ts";
import { type QuarantineReason, quarantine, services } from "#app/db/schema.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { applyPlan, planChange, planUndo, readBulkEntry } from "./bulk/apply-bulk.server.ts";
import type { BulkChange } from "./bulk/bulk-change.ts";
import { serviceTexts, submitServiceForm } from "./service-admin-form.server.ts";
import { submitCellForm } from "./table/service-cell-form.server.ts";

/** Checks that keep a service off sale, and from being sold below cost by mistake. Rates are in micro-dollars. */

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const ON: BulkChange = { kind: "sale", enabled: true };

test("keeps a service off sale that waits for a decision, in its cell, its form and a change of many", async () => {
  const [paused, gone, byHand] = [
    await offSale({ paused: true, offered: 5_000_000 }),
    await offSale({ reason: "gone" }),
    await offSale(null),
  ];
  for (const id of [paused, gone]) {
    expect(await cell(id, "enabled", "on")).toMatchObject({ ok: false, row: { enabled: false, isBlocked: true } });
    expect(await form(id, { enabled: "on" })).toMatchObject({ status: 409 });
  }
  expect(await cell(paused, "enabled", "on")).toMatchObject({ row: { offeredRate: 5_000_000 } });
  const planned = await plan([paused, gone, byHand], ON);
  expect(planned.plan.rows.map(({ id }) => id)).toEqual([byHand]);
  expect(planned.plan.left.map(({ id, why }) => [id, why])).toEqual([
    [paused, "waits"],
    [gone, "waits"],
  ]);
  expect((await plan([paused], { kind: "margin", margin: 3_500, step: null })).plan.left).toMatchObject([
    { why: "waits" },
  ]);
  expect(await applyPlan(db, STAFF, planned, { digest: planned.digest, toLoss: false }, {})).toMatchObject({
    ok: true,
  });
  expect(await onSale([paused, gone, byHand])).toEqual([false, false, true]);
});

test("leaves a service that was paused since off sale when a change is undone", async () => {
  const ids = [await service({ enabled: true }), await service({ enabled: true })];
  const off = await plan(ids, { kind: "sale", enabled: false });
  const applied = await applyPlan(db, STAFF, off, { digest: off.digest, toLoss: false }, {});
  if (!applied.ok) throw new Error(applied.reason);
  await wait(ids[0] ?? 0, { paused: true, offered: 1 });
  const entry = await readBulkEntry(db, applied.entryId);
  if (!entry) throw new Error("the change has no entry");
  const undo = await planUndo(db, entry);
  expect(undo.plan.rows.map(({ id }) => id)).toEqual([ids[1]]);
  expect(undo.plan.left).toMatchObject([{ id: ids[0], why: "waits" }]);
});

test("asks before a service sells below what its provider wants by now", async () => {
  const id = await offSale({ offered: 3_000_000 });
  expect(await cell(id, "enabled", "on")).toMatchObject({ ok: false, asksLoss: true });
  const on = await plan([id], ON);
  expect(on.plan.rows).toMatchObject([{ loss: 1_000_000, marginAfter: -5_000 }]);
  const silent = { digest: on.digest, toLoss: false };
  expect(await applyPlan(db, STAFF, on, silent, {})).toEqual({ ok: false, reason: "below_cost" });
  expect(await onSale([id])).toEqual([false]);
  expect(await cell(id, "enabled", "on", { loss: "on" })).toMatchObject({ ok: true, row: { enabled: true } });
});

test("asks before a slip in a rate sells below cost, in the cell and in the form", async () => {
  const id = await service({ rate: 9_000_000, providerRate: 1_000_000, ...(await ofProvider()) });
  expect(await cell(id, "rate", "0.9")).toMatchObject({ ok: false, asksLoss: true, row: { rate: 9_000_000 } });
  expect(await form(id, { rate: "0.9" })).toMatchObject({
    status: 400,
    result: { fieldErrors: { loss: expect.any(String) }, values: { rate: "0.9" } },
  });
  expect(await form(id, { rate: "0.9", loss: "on" })).toMatchObject({ kind: "done" });
  // A service that already sells below cost can be changed in other ways without another confirmation.
  expect(await cell(id, "category", "Views")).toMatchObject({ ok: true, row: { rate: 900_000 } });
  expect(await cell(id, "rate", "0.8", { loss: "on" })).toMatchObject({ ok: true, row: { rate: 800_000 } });
  expect(await cell(id, "enabled", "off")).toMatchObject({ ok: true });
  expect(await cell(id, "rate", "0.7")).toMatchObject({ ok: true, row: { rate: 700_000 } });
});

type Waiting = { paused?: boolean; reason?: QuarantineReason; offered?: number };

/** Creates a service off sale that sells for $2 and cost $1, with a change of its provider that waits. */
async function offSale(waiting: Waiting | null): Promise<number> {
  const terms = { rate: 2_000_000, providerRate: 1_000_000, enabled: false };
  const id = await service({ ...terms, ...(await ofProvider()) });
  if (waiting) await wait(id, waiting);
  return id;
}

async function ofProvider() {
  return { providerId: await sandboxProvider(), providerServiceId: "1" };
}

async function wait(serviceId: number, { paused = false, reason = "rise", offered }: Waiting): Promise<void> {
  const terms = {
    category: "",
    type: "Default",
    min: 1,
    max: 9,
    dripfeed: false,
    refill: false,
    cancel: false,
  } as const;
  const providerId = await sandboxProvider();
  const found = { providerId, serviceId, reason, paused, foundAt: 1 };
  await db.insert(quarantine).values({ ...found, offered: offered === undefined ? null : { ...terms, rate: offered } });
}

async function read(id: number) {
  const [row] = await db.select().from(services).where(eq(services.id, id));
  if (!row) throw new Error("no such service");
  return row;
}

async function cell(id: number, field: string, value: string, more: Record<string, string> = {}) {
  const { version } = await read(id);
  return submitCellForm(db, STAFF, formOf({ id: String(id), field, value, version: String(version), ...more }));
}

async function form(id: number, change: Record<string, string>) {
  const row = await read(id);
  const texts = serviceTexts(row);
  return submitServiceForm(db, STAFF, id, formOf({ ...texts, ...beginEdit(row.version, texts), ...change }));
}

function formOf(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

async function plan(ids: number[], change: BulkChange) {
  const planned = await planChange(db, { ids }, change);
  if (!planned) throw new Error("too many services");
  return planned;
}

async function onSale(ids: number[]): Promise<boolean[]> {
  return (await Promise.all(ids.map(read))).map(({ enabled }) => enabled);
}
