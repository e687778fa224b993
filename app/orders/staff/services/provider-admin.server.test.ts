import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, inject, test, vi } from "vitest";
import { type Actor, listAudit } from "#app/db/audit.server.ts";
import { auditLog, orders, providers, services } from "#app/db/schema.server.ts";
import { holdLostSubmissions } from "#app/orders/fulfillment/submission-claims.server.ts";
import { importCatalog, previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import {
  addProvider,
  changeProvider,
  readProvider,
  readProviderWithKey,
  testProvider,
} from "./provider-admin.server.ts";
import { submitNewProviderForm } from "./provider-admin-form.server.ts";
import {
  changeService,
  createService,
  enableServices,
  listStaffServices,
  readStaffService,
} from "./service-admin.server.ts";

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const SETTINGS = {
  enabled: true,
  markupPercent: null,
  concurrentCalls: 5,
  callsPerMinute: null,
  honorsIdempotencyKeys: false,
};
const PUBLIC = { ...env, ENVIRONMENT: "production" };

test("adds, tests, renames and moves a provider without ever returning its key", async () => {
  const { url, key } = inject("sandbox");
  const name = `Panel ${crypto.randomUUID()}`;
  const input = { ...SETTINGS, name, apiUrl: url, key };
  const created = await addProvider(db, env, STAFF, input, crypto.randomUUID());
  if (!created.ok) throw new Error(created.reason);
  const { providerId } = created;
  expect(await testProvider(db, env, await stored(providerId))).toEqual({ ok: true, balance: "1000000.00 USD" });
  // After a rename without the key, the key still works.
  const renamed = { ...input, name: `${name} 2`, key: "" };
  expect(await changeProvider(db, env, STAFF, providerId, renamed)).toEqual({ ok: true });
  expect(await testProvider(db, env, await stored(providerId))).toMatchObject({ ok: true });
  // A new URL could belong to somebody who wants the key.
  const moved = { ...renamed, apiUrl: `${url}/elsewhere` };
  expect(await changeProvider(db, env, STAFF, providerId, moved)).toEqual({ ok: false, reason: "key_needed" });
  expect(await changeProvider(db, env, STAFF, providerId, { ...moved, key: "wrong" })).toEqual({ ok: true });
  expect(await testProvider(db, env, await stored(providerId))).toEqual({ ok: false, why: "Invalid API key" });
  const shown = JSON.stringify([await readProvider(db, providerId), await db.select().from(auditLog)]);
  expect(shown).not.toContain(key);
  expect(shown).not.toContain((await stored(providerId)).encryptedKey);
});

test("holds an order that was cut off at another URL or account, instead of sending it again", async () => {
  const { url, key } = inject("sandbox");
  for (const change of [{ key: "another account" }, { apiUrl: `${url}/elsewhere`, key }]) {
    const input = { ...SETTINGS, honorsIdempotencyKeys: true, name: crypto.randomUUID(), apiUrl: url, key };
    const created = await addProvider(db, env, STAFF, input, crypto.randomUUID());
    if (!created.ok) throw new Error(created.reason);
    const links = ["waiting", "killed"].map((name) => sandboxLink("drop", `${name}-${crypto.randomUUID()}`));
    const [waiting = 0, killed = 0] = (await placeOrders(links, created.providerId)).orderIds;
    await submitOrder(waiting);
    await submitOrder(killed);
    for (const id of [waiting, killed]) expect(await readOrder(id)).toMatchObject({ fulfillment: "queued" });
    await db.update(orders).set({ fulfillment: "submitting", leaseUntil: 1 }).where(eq(orders.id, killed));
    expect(await changeProvider(db, env, STAFF, created.providerId, { ...input, ...change })).toEqual({ ok: true });
    await holdLostSubmissions(db);
    for (const id of [waiting, killed]) expect(await readOrder(id)).toMatchObject({ fulfillment: "held" });
  }
});

test("refuses private URLs, taken names and repeated forms", async () => {
  const input = { ...SETTINGS, name: crypto.randomUUID(), apiUrl: "https://panel.example/api/v2", key: "k" };
  for (const apiUrl of ["http://panel.example", "https://127.0.0.1/", "https://10.0.0.1/", "https://box.internal/"]) {
    const created = await addProvider(db, PUBLIC, STAFF, { ...input, apiUrl }, crypto.randomUUID());
    expect(created, apiUrl).toEqual({ ok: false, reason: "bad_address" });
  }
  const once = crypto.randomUUID();
  expect(await addProvider(db, PUBLIC, STAFF, input, once)).toMatchObject({ ok: true });
  expect(await addProvider(db, PUBLIC, STAFF, { ...input, name: "Other" }, once)).toEqual({
    ok: false,
    reason: "repeated",
  });
  expect(await addProvider(db, PUBLIC, STAFF, input, crypto.randomUUID())).toEqual({ ok: false, reason: "name_taken" });
  expect(await db.select().from(providers).where(eq(providers.name, "Other"))).toEqual([]);
});

test("changes the pace of a provider and records both values", async () => {
  const { url: apiUrl } = inject("sandbox");
  const providerId = await sandboxProvider();
  const { name } = await stored(providerId);
  const paced = { ...SETTINGS, name, apiUrl, key: "", concurrentCalls: 2, callsPerMinute: 60 };
  expect(await changeProvider(db, env, STAFF, providerId, paced)).toEqual({ ok: true });
  expect(await stored(providerId)).toMatchObject({ concurrentCalls: 2, callsPerMinute: 60 });
  const [entry] = await listAudit(db, { subject: "provider", subjectId: String(providerId) }, 1);
  expect(entry?.detail).toEqual({ concurrentCalls: [5, 2], callsPerMinute: [null, 60] });
});

test("holds orders that were cut off when their provider gets another URL or no longer honors keys", async () => {
  const { url: apiUrl, key } = inject("sandbox");
  for (const change of [{ apiUrl: `${apiUrl}/elsewhere`, key }, { honorsIdempotencyKeys: false }]) {
    const providerId = await sandboxProvider();
    const { name } = await stored(providerId);
    const honoring = { ...SETTINGS, name, apiUrl, key, honorsIdempotencyKeys: true };
    await changeProvider(db, env, STAFF, providerId, honoring);
    const [waiting = 0, untried = 0] = (await placeOrders([sandboxLink(null, 1), sandboxLink(null, 2)], providerId))
      .orderIds;
    await db
      .update(orders)
      .set({ resendUntil: Date.now() + 60_000 })
      .where(eq(orders.id, waiting));
    const unchanged = { ...honoring, key: "" };
    expect(await changeProvider(db, env, STAFF, providerId, unchanged)).toEqual({ ok: true });
    expect(await readOrder(waiting)).toMatchObject({ fulfillment: "queued" });
    expect(await changeProvider(db, env, STAFF, providerId, { ...unchanged, ...change })).toEqual({ ok: true });
    expect(await readOrder(waiting)).toMatchObject({ fulfillment: "held" });
    expect(await readOrder(untried)).toMatchObject({ fulfillment: "queued" });
  }
});

test("holds an order that may be at the provider when its settings change during the call", async () => {
  for (const change of [{ key: "another account" }, { honorsIdempotencyKeys: false }]) {
    for (const wasCutOff of [false, true]) {
      const { providerId, settings } = await honoringProvider();
      const [orderId = 0] = (await placeOrders([sandboxLink("drop", crypto.randomUUID())], providerId)).orderIds;
      if (wasCutOff) {
        await submitOrder(orderId);
        await db.update(orders).set({ leaseUntil: 0 }).where(eq(orders.id, orderId));
      }
      vi.spyOn(globalThis, "fetch").mockImplementationOnce(async () => {
        expect(await changeProvider(db, env, STAFF, providerId, { ...settings, ...change })).toEqual({ ok: true });
        if (wasCutOff) return Response.json({ error: "Too many requests" });
        throw new Error("cut off");
      });
      await submitOrder(orderId);
      expect(await readOrder(orderId)).toMatchObject({ fulfillment: "held", attempts: wasCutOff ? 2 : 1 });
    }
  }
});

test("tries a new key at once, also when a call with the old one fails afterwards", async () => {
  for (const answer of [{ error: "Invalid API key" }, null]) {
    const { providerId, settings } = await honoringProvider();
    await db.update(providers).set({ failures: 4 }).where(eq(providers.id, providerId));
    const [orderId = 0] = (await placeOrders([sandboxLink("still", crypto.randomUUID())], providerId)).orderIds;
    vi.spyOn(globalThis, "fetch").mockImplementationOnce(async () => {
      await changeProvider(db, env, STAFF, providerId, { ...settings, key: "new" });
      return answer ? Response.json(answer) : new Response("down", { status: 500 });
    });
    await submitOrder(orderId);
    expect(await stored(providerId)).toMatchObject({ pausedFor: null, pausedUntil: 0, failures: 0, openUntil: 0 });
  }
});

test("refuses a pace out of bounds in the form", async () => {
  const context = { db, env } as unknown as AppLoadContext;
  for (const [field, value] of [
    ["concurrentCalls", "0"],
    ["concurrentCalls", "7"],
    ["callsPerMinute", "0"],
    ["callsPerMinute", "6001"],
  ] as const) {
    const form = new FormData();
    const fields = { name: "Panel", apiUrl: "https://panel.example", key: "k", concurrentCalls: "5", [field]: value };
    for (const [name, text] of Object.entries(fields)) form.set(name, text);
    form.set("once", crypto.randomUUID());
    const outcome = await submitNewProviderForm(context, STAFF, form);
    expect(outcome, `${field} ${value}`).toMatchObject({ kind: "shown", status: 400 });
  }
});

test("imports exactly what was previewed", async () => {
  const provider = await stored(await sandboxProvider());
  const preview = await previewImport(db, env, provider, 50);
  if (!preview.ok) throw new Error(preview.reason);
  expect(preview.changes).toContainEqual(
    expect.objectContaining({ kind: "added", name: "Instagram likes", providerServiceId: "11", ourRate: 1_350_000 }),
  );
  expect(preview.changes).toContainEqual(expect.objectContaining({ kind: "unreadable", providerServiceId: "13" }));
  expect(await ofProvider(provider.id)).toEqual([]);
  const { digest } = preview;
  expect(await importCatalog(db, env, provider, 40, { actor: STAFF, digest })).toEqual({
    ok: false,
    reason: "catalog_changed",
  });
  expect(await ofProvider(provider.id)).toEqual([]);
  expect(await importCatalog(db, env, provider, 50, { actor: STAFF, digest })).toMatchObject({ ok: true });
  expect(await ofProvider(provider.id)).toHaveLength(2);
  // The same preview cannot be imported twice.
  expect(await importCatalog(db, env, provider, 50, { actor: STAFF, digest })).toEqual({
    ok: false,
    reason: "catalog_changed",
  });
  const log = await listAudit(db, { subject: "provider", subjectId: String(provider.id) }, 10);
  expect(log.map(({ action, detail }) => [action, detail])).toEqual([
    ["provider.import", { markup: 50, added: 2, unreadable: 1 }],
  ]);
});

test("creates and changes a service, logging old and new values", async () => {
  const terms = {
    network: "Instagram",
    category: "Instagram Likes",
    name: `Likes ${crypto.randomUUID()}`,
    description: "",
    type: "Default" as const,
    rate: 900_000,
    min: 10,
    max: 1000,
    dripfeed: false,
    refill: false,
    refillDays: null,
    cancel: false,
    enabled: true,
    providerId: null,
    providerServiceId: null,
    position: 0,
  };
  const once = crypto.randomUUID();
  const created = await createService(db, STAFF, terms, once);
  if (!created.ok) throw new Error(created.reason);
  expect(await createService(db, STAFF, terms, once)).toEqual({ ok: false, reason: "repeated" });
  expect(await changeService(db, STAFF, created.serviceId, { ...terms, rate: 950_000, enabled: false })).toEqual({
    ok: true,
    changed: 2,
  });
  expect(await changeService(db, STAFF, created.serviceId, { ...terms, rate: 950_000, enabled: false })).toEqual({
    ok: true,
    changed: 0,
  });
  const page = await readStaffService(db, created.serviceId);
  expect(page?.service).toMatchObject({ rate: 950_000, enabled: false });
  expect(page?.history.map(({ action, detail }) => [action, detail])).toEqual([
    ["service.change", { rate: [900_000, 950_000], enabled: [true, false] }],
    ["service.create", terms],
  ]);
  expect(await changeService(db, STAFF, 999_999, terms)).toEqual({ ok: false, reason: "not_found" });
  const noProvider = { ...terms, providerId: 999_999, providerServiceId: "1" };
  expect(await changeService(db, STAFF, created.serviceId, noProvider)).toEqual({
    ok: false,
    reason: "unknown_provider",
  });
});

test("puts several services on sale and lists them page by page", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await service({ name: `${mark} ${n}`, enabled: false }));
  expect(await enableServices(db, STAFF, ids.slice(0, 2), true)).toBe(2);
  expect(await enableServices(db, STAFF, ids, true)).toBe(1);
  const filter = { search: mark.toUpperCase(), state: "enabled" as const, providerId: null, network: null };
  const first = await listStaffServices(db, { ...filter, after: null }, 2);
  expect(first.map(({ id }) => id)).toEqual(ids);
  expect((await listStaffServices(db, { ...filter, after: ids[1] ?? 0 }, 2)).map(({ id }) => id)).toEqual([ids[2]]);
});

async function honoringProvider() {
  const { url: apiUrl } = inject("sandbox");
  const providerId = await sandboxProvider();
  const { name } = await stored(providerId);
  const settings = { ...SETTINGS, name, apiUrl, key: "", honorsIdempotencyKeys: true };
  expect(await changeProvider(db, env, STAFF, providerId, settings)).toEqual({ ok: true });
  return { providerId, settings };
}

async function stored(providerId: number) {
  const provider = await readProviderWithKey(db, providerId);
  if (!provider) throw new Error("no provider");
  return provider;
}

function ofProvider(providerId: number) {
  return db.select().from(services).where(eq(services.providerId, providerId));
}
