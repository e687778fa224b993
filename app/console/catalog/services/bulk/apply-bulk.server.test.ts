import { env } from "cloudflare:workers";
import { asc, desc, eq, inArray, sql } from "drizzle-orm";
import { beforeEach, expect, inject, test } from "vitest";
import type { Actor } from "#app/db/audit.server.ts";
import { connect } from "#app/db/db.server.ts";
import {
  auditLog,
  catalogVersion,
  quarantine,
  serviceChanges,
  services,
  webhookDeliveries,
} from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { queueCatalogWebhooks } from "#app/orders/webhooks/queue-catalog-webhooks.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";
import { applyPlan, planChange, planUndo, readBulkEntry } from "./apply-bulk.server.ts";
import type { BulkChange } from "./bulk-change.ts";
import { MAX_SELECTED, readSelection } from "./selected-services.server.ts";

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const MANY = atScale(400, 2_000);
const RAISE: BulkChange = { kind: "price", part: 1_000, step: null };

let network = "";

beforeEach(() => {
  network = `Network ${crypto.randomUUID()}`;
});

test("changes many services in one step and undoes it in one, with a bounded number of statements and rows", async () => {
  await fill(MANY);
  const before = await readAll();
  const metered = countedDatabase(env.DB);
  const entryId = await apply(RAISE, { at: connect(metered.database) });
  const after = await readAll();
  for (const [n, { id, rate, version }] of after.entries()) {
    // The old rate and a tenth of it, rounded up.
    const old = BigInt(before[n]?.rate ?? 0);
    expect(BigInt(rate), `service ${id}`).toBe((old * 11n + 9n) / 10n);
    expect(version).toBe((before[n]?.version ?? 0) + 1);
  }
  // The plan, the batch's deadline, the audit entry, its subjects, and a write for each 200 services.
  expect(metered.counts.queries).toBe(1 + 1 + 1 + 1 + MANY / 200);
  const written = [...metered.byStatement.values()].reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  // For each service: its row, the catalog's version, the change with its index, and the entry's subject with its two. Five
  // for the audit entry.
  expect(written).toBeLessThanOrEqual(7 * MANY + 10);
  // Besides what the plan reads: each service, the version and what the change is made from.
  expect(metered.counts.rowsRead).toBeLessThanOrEqual(20 * MANY);
  console.log(`${MANY} services: ${metered.counts.rowsRead} rows read, ${written} rows written`);

  const entry = await readBulkEntry(db, entryId);
  expect(entry).toMatchObject({ id: entryId, actorName: STAFF.name, field: "rate", undoes: null });
  expect(entry?.values.get(before[0]?.id ?? 0)).toEqual([before[0]?.rate, after[0]?.rate]);
  const undo = await planUndo(db, entry ?? fail());
  expect(undo.plan.left).toEqual([]);
  expect(await applyPlan(db, STAFF, undo, agreeing(undo), { undoes: entryId })).toMatchObject({
    ok: true,
    changed: MANY,
  });
  expect((await readAll()).map(({ rate }) => rate)).toEqual(before.map(({ rate }) => rate));
  const again = await planUndo(db, entry ?? fail());
  expect(again.plan.rows).toEqual([]);
  expect(await applyPlan(db, STAFF, again, agreeing(again), {})).toEqual({ ok: false, reason: "nothing" });
});

test("tells webhooks of many changed prices by one delivery, and keeps customers to the price they were shown", async () => {
  await fill(MANY);
  const { userId } = await customerWith(100 * MICRO);
  const url = `${inject("webhooks").url}/${crypto.randomUUID()}`;
  const wants = { wantsOrders: false, wantsCatalog: true };
  const endpoint = await createEndpoint(db, withoutDispatchers, await ownerOf(userId), url, wants);
  if (!endpoint.ok) throw new Error(endpoint.reason);
  const [first] = await readAll();
  const catalog = new CatalogCache();
  const shown = first?.rate ?? 0;
  const order = {
    serviceId: first?.id ?? 0,
    fields: { link: "https://instagram.com/p/1", quantity: "1000" },
    source: "web",
    idempotencyKey: null,
    maxCharge: () => shown,
  } as const;
  expect(await placeOrder(db, userId, order, catalog)).toMatchObject({ ok: true, order: { charge: shown } });

  await queueCatalogWebhooks(db, withoutDispatchers);
  await db.delete(webhookDeliveries).where(eq(webhookDeliveries.endpointId, endpoint.id));
  const version = await readVersion();
  await apply(RAISE);
  expect(await readVersion()).toBe(version + MANY);
  const changes = await db.$count(serviceChanges, sql`${serviceChanges.version} > ${version}`);
  expect(changes).toBe(MANY);
  expect(await placeOrder(db, userId, order, catalog)).toMatchObject({ ok: false });
  const dearer = { ...order, maxCharge: () => Math.ceil(shown * 1.1) };
  expect(await placeOrder(db, userId, dearer, catalog)).toMatchObject({ ok: true });

  await queueCatalogWebhooks(db, withoutDispatchers);
  await queueCatalogWebhooks(db, withoutDispatchers);
  const queued = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.endpointId, endpoint.id));
  expect(queued).toHaveLength(1);
  const { data } = JSON.parse(queued[0]?.body ?? "");
  expect(data).toMatchObject({ since: version, version: version + MANY, more: true });
  expect(data.services).toHaveLength(100);
  expect(queued[0]?.body).not.toMatch(/provider|cost|margin/i);
});

test("changes nothing if one of the services changed after the preview", async () => {
  const ids = await fill(3);
  const planned = await plan(RAISE);
  await db
    .update(services)
    .set({ rate: 77, version: sql`${services.version} + 1` })
    .where(eq(services.id, ids[1] ?? 0));
  // As if it changed between the check of the digest and the write.
  const before = await readAll();
  expect(await applyPlan(db, STAFF, planned, agreeing(planned), {})).toEqual({ ok: false, reason: "changed" });
  const current = await plan(RAISE);
  const stale = { digest: planned.digest, toLoss: true };
  expect(await applyPlan(db, STAFF, current, stale, {})).toEqual({ ok: false, reason: "changed" });
  expect(await readAll()).toEqual(before);
  expect(await entries()).toEqual([]);
});

test("changes nothing for a person whose session has ended", async () => {
  await fill(2);
  const planned = await plan(RAISE);
  const ended = { ...STAFF, sessionId: "ended" };
  const before = await readAll();
  await expect(applyPlan(db, ended, planned, agreeing(planned), {})).rejects.toThrow();
  expect(await readAll()).toEqual(before);
});

test("sells below cost only what somebody agreed to, and names the sum", async () => {
  const [low = 0, off = 0] = await fill(3);
  const cut: BulkChange = { kind: "price", part: -8_000, step: null };
  await db.update(services).set({ rate: 10_000_000, providerRate: 3_000_000 }).where(eq(services.id, low));
  await db
    .update(services)
    .set({ rate: 10_000_000, providerRate: 3_000_000, enabled: false })
    .where(eq(services.id, off));
  await db.update(services).set({ providerRate: null }).where(sql`${services.id} > ${off}`);
  const planned = await plan(cut);
  expect(planned.plan.rows.map(({ loss }) => loss)).toEqual([1_000_000, 0, 0]);
  expect(planned.plan.rows[0]).toMatchObject({ marginBefore: 7_000, marginAfter: -5_000 });
  const silent = { digest: planned.digest, toLoss: false };
  expect(await applyPlan(db, STAFF, planned, silent, {})).toEqual({ ok: false, reason: "below_cost" });
  expect(await applyPlan(db, STAFF, planned, agreeing(planned), {})).toMatchObject({ ok: true, changed: 3 });
  // Back on sale at that price is a sale below cost, too. Moved to another category, it sells as it did.
  const on = await plan({ kind: "sale", enabled: true });
  expect(on.plan.rows.map(({ id, loss }) => [id, loss])).toEqual([[off, 1_000_000]]);
  expect(await applyPlan(db, STAFF, on, { digest: on.digest, toLoss: false }, {})).toMatchObject({ ok: false });
  const moved = await plan({ kind: "category", category: "Elsewhere" });
  expect(await applyPlan(db, STAFF, moved, { digest: moved.digest, toLoss: false }, {})).toMatchObject({ ok: true });
});

test("asks again if a provider's new cost was found since the preview, whose loss nobody agreed to", async () => {
  const [first = 0, second = 0] = await fill(2);
  await db.update(services).set({ rate: 300_000 }).where(eq(services.id, first));
  const planned = await plan(RAISE);
  expect(planned.plan.rows.map(({ loss }) => loss > 0)).toEqual([true, false]);
  const [row] = await db.select().from(services).where(eq(services.id, second));
  if (!row) throw new Error("no service");
  const { category, type, min, max, dripfeed, refill, cancel, providerId } = row;
  const offered = { category, type, min, max, dripfeed, refill, cancel, rate: 9_000_000 };
  const finding = {
    serviceId: second,
    providerId: providerId ?? 0,
    reason: "rise",
    paused: false,
    foundAt: 1,
  } as const;
  await db.insert(quarantine).values({ ...finding, offered });
  expect(await applyPlan(db, STAFF, await plan(RAISE), agreeing(planned), {})).toEqual({
    ok: false,
    reason: "changed",
  });
});

test("undoes what is still as it left it, and names the services that changed since", async () => {
  const [first = 0, second = 0, third = 0] = await fill(3);
  const entryId = await apply({ kind: "sale", enabled: false });
  await db.update(services).set({ enabled: true }).where(eq(services.id, second));
  const entry = (await readBulkEntry(db, entryId)) ?? fail();
  const undo = await planUndo(db, entry);
  expect(undo.plan.rows.map(({ id }) => id)).toEqual([first, third]);
  expect(undo.plan.left).toMatchObject([{ id: second, why: "changed_since" }]);
  const undone = await applyPlan(db, STAFF, undo, agreeing(undo), { undoes: entryId });
  if (!undone.ok) throw new Error(undone.reason);
  expect((await readAll()).map(({ enabled }) => enabled)).toEqual([true, true, true]);
  // An undo is itself a change, so it can be undone, too.
  const redo = await planUndo(db, (await readBulkEntry(db, undone.entryId)) ?? fail());
  expect(redo.plan.rows.map(({ id, to }) => [id, to])).toEqual([
    [first, false],
    [third, false],
  ]);
});

test("sets margins, rounds and moves, and leaves alone what has no cost, stays the same or would be too dear", async () => {
  const [known = 0, free = 0, byHand = 0] = await fill(3);
  await db.update(services).set({ providerRate: 650_000 }).where(eq(services.id, known));
  await db.update(services).set({ providerRate: 0 }).where(eq(services.id, free));
  await db.update(services).set({ providerRate: null, rate: 999_999_999_000_000 }).where(eq(services.id, byHand));
  const margin = await plan({ kind: "margin", margin: 3_500, step: 50_000 });
  expect(margin.plan.rows).toMatchObject([{ id: known, to: 1_000_000, marginAfter: 3_500 }]);
  expect(margin.plan.left.map(({ id, why }) => [id, why])).toEqual([
    [free, "no_cost"],
    [byHand, "no_cost"],
  ]);
  expect((await plan(RAISE)).plan.left).toMatchObject([{ id: byHand, why: "too_high" }]);
  await apply({ kind: "category", category: "Views" });
  expect((await plan({ kind: "category", category: "Views" })).plan).toMatchObject({ rows: [], left: [{}, {}, {}] });
});

test("changes chosen services only, and refuses more than it takes", async () => {
  const ids = await fill(3);
  const chosen = new URLSearchParams([
    ["id", String(ids[0])],
    ["id", String(ids[2])],
    ["id", "no"],
    ["id", "999999"],
  ]);
  const planned = await planChange(db, readSelection(chosen), RAISE);
  expect(planned?.plan.rows.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  await fill(MAX_SELECTED);
  expect(await planChange(db, all(), RAISE)).toBeNull();
});

/** Creates services of the test's network, with rates that differ, and returns their ids. */
async function fill(count: number): Promise<number[]> {
  const providerId = await sandboxProvider();
  const first = await service({ network, providerId, providerServiceId: crypto.randomUUID(), providerRate: 400_000 });
  await db.run(sql`insert into services (network, category, name, type, rate, min, max, provider_id, provider_service_id, provider_rate)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count - 1})
    select ${network}, 'Likes', 'Likes ' || i, 'Default', 900000 + i * 137, 10, 100000, ${providerId},
      ${crypto.randomUUID()} || i, 400000 + i from n where ${count} > 1`);
  const rows = await db.select({ id: services.id }).from(services).where(eq(services.network, network));
  return rows.map(({ id }) => id).filter((id) => id >= first);
}

function all() {
  return readSelection(new URLSearchParams({ all: "1", network }));
}

async function plan(change: BulkChange, at = db) {
  return (await planChange(at, all(), change)) ?? fail();
}

function agreeing({ digest }: { digest: string }) {
  return { digest, toLoss: true };
}

/** Applies a change to the test's network and returns its audit entry. */
async function apply(change: BulkChange, { at = db } = {}): Promise<number> {
  const planned = await plan(change, at);
  const applied = await applyPlan(at, STAFF, planned, agreeing(planned), { ...change });
  if (!applied.ok) throw new Error(applied.reason);
  return applied.entryId;
}

function readAll() {
  return db.select().from(services).where(eq(services.network, network)).orderBy(asc(services.id));
}

/** Returns the audit entries about the test's services. */
async function entries() {
  const ids = (await readAll()).map(({ id }) => String(id));
  return db.select().from(auditLog).where(inArray(auditLog.subjectId, ids)).orderBy(desc(auditLog.id));
}

async function readVersion(): Promise<number> {
  const [row] = await db.select().from(catalogVersion);
  return row?.version ?? fail();
}

function fail(): never {
  throw new Error("not found");
}
