import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, inject, test, vi } from "vitest";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { type Actor, listAudit } from "#app/db/audit.server.ts";
import { auditLog, orders, providers, services } from "#app/db/schema.server.ts";
import { holdLostSubmissions } from "#app/orders/fulfillment/submission-claims.server.ts";
import { listRules } from "#app/orders/providers/catalog-offers.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import {
  addProvider,
  changeProvider,
  type ProviderInput,
  readProvider,
  readProviderWithKey,
} from "./provider-admin.server.ts";
import { submitNewProviderForm, submitProviderForm } from "./provider-admin-form.server.ts";
import { changeService, createService, readStaffService, type ServiceTerms } from "./service-admin.server.ts";
import { testProvider } from "./test-provider.server.ts";

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const SETTINGS = {
  enabled: true,
  riseLimit: 2000,
  concurrentCalls: 5,
  callsPerMinute: null,
  honorsIdempotencyKeys: false,
  splitsComments: false,
};
const PUBLIC = { ...env, ENVIRONMENT: "production" };

/** Saves a provider from a form that was just read. */
async function saveProvider(providerId: number, input: ProviderInput) {
  const [row] = await db.select().from(providers).where(eq(providers.id, providerId));
  return changeProvider(db, env, STAFF, providerId, input, row?.version ?? 1);
}

/** Saves a service from a form that was just read. */
async function saveService(serviceId: number, terms: ServiceTerms) {
  const [row] = await db.select().from(services).where(eq(services.id, serviceId));
  return changeService(db, STAFF, serviceId, terms, row?.version ?? 1, { toLoss: false });
}

test("adds, tests, renames and moves a provider without ever returning its key", async () => {
  const { url, key } = inject("sandbox");
  const name = `Panel ${crypto.randomUUID()}`;
  const input = { ...SETTINGS, name, apiUrl: url, key };
  const created = await addProvider(db, env, STAFF, input, crypto.randomUUID());
  if (!created.ok) throw new Error(created.reason);
  const { providerId } = created;
  expect(await testProvider(db, env, await stored(providerId))).toMatchObject({ ok: true, balance: "1000000.00 USD" });
  // After a rename without the key, the key still works.
  const renamed = { ...input, name: `${name} 2`, key: "" };
  expect(await saveProvider(providerId, renamed)).toEqual({ ok: true });
  expect(await testProvider(db, env, await stored(providerId))).toMatchObject({ ok: true });
  // A new URL could belong to somebody who wants the key.
  const moved = { ...renamed, apiUrl: `${url}/elsewhere` };
  expect(await saveProvider(providerId, moved)).toEqual({ ok: false, reason: "key_needed" });
  expect(await saveProvider(providerId, { ...moved, key: "wrong" })).toEqual({ ok: true });
  expect(await testProvider(db, env, await stored(providerId))).toEqual({
    ok: false,
    why: "Our API key is wrong or missing. The provider says: “Invalid API key”",
  });
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
    expect(await saveProvider(created.providerId, { ...input, ...change })).toEqual({ ok: true });
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

test("changes the pace of a provider and whether it splits comments, and records both values", async () => {
  const { url: apiUrl } = inject("sandbox");
  const providerId = await sandboxProvider();
  const { name } = await stored(providerId);
  const changes = { concurrentCalls: 2, callsPerMinute: 60, splitsComments: true };
  expect(await saveProvider(providerId, { ...SETTINGS, name, apiUrl, key: "", ...changes })).toEqual({ ok: true });
  expect(await stored(providerId)).toMatchObject(changes);
  const [entry] = await listAudit(db, { subject: "provider", subjectId: String(providerId) }, 1);
  expect(entry?.detail).toEqual({ concurrentCalls: [5, 2], callsPerMinute: [null, 60], splitsComments: [false, true] });
});

test("holds orders that were cut off when their provider gets another URL or no longer honors keys", async () => {
  const { url: apiUrl, key } = inject("sandbox");
  for (const change of [{ apiUrl: `${apiUrl}/elsewhere`, key }, { honorsIdempotencyKeys: false }]) {
    const providerId = await sandboxProvider();
    const { name } = await stored(providerId);
    const honoring = { ...SETTINGS, name, apiUrl, key, honorsIdempotencyKeys: true };
    await saveProvider(providerId, honoring);
    const [waiting = 0, untried = 0] = (await placeOrders([sandboxLink(null, 1), sandboxLink(null, 2)], providerId))
      .orderIds;
    await db
      .update(orders)
      .set({ resendUntil: Date.now() + 60_000 })
      .where(eq(orders.id, waiting));
    const unchanged = { ...honoring, key: "" };
    expect(await saveProvider(providerId, unchanged)).toEqual({ ok: true });
    expect(await readOrder(waiting)).toMatchObject({ fulfillment: "queued" });
    expect(await saveProvider(providerId, { ...unchanged, ...change })).toEqual({ ok: true });
    expect(await readOrder(waiting)).toMatchObject({ fulfillment: "held", heldFor: "provider_changed" });
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
        expect(await saveProvider(providerId, { ...settings, ...change })).toEqual({ ok: true });
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
      await saveProvider(providerId, { ...settings, key: "new" });
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

test("imports the ticked rows of the preview that was shown, once", async () => {
  const context = { db, env } as unknown as AppLoadContext;
  const providerId = await sandboxProvider();
  const submit = (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return submitProviderForm(context, STAFF, providerId, form, () => {});
  };
  expect(await submit({ intent: "preview" })).toMatchObject({ status: 409, result: { ok: false } });
  const rule = { intent: "add-rule", category: "", roundTo: "0.05", minimum: "0" };
  expect(await submit({ ...rule, margin: "96" })).toMatchObject({ status: 400 });
  expect(await submit({ ...rule, margin: "33.3" })).toMatchObject({ kind: "done" });
  expect(await submit({ ...rule, margin: "40" })).toMatchObject({ status: 409 });
  const shown = await submit({ intent: "preview" });
  const preview = shown?.kind === "shown" ? shown.result.preview : undefined;
  expect(preview?.rows[0]).toMatchObject({ providerServiceId: "11", rate: [null, 1_350_000] });
  expect(preview?.unreadable).toMatchObject([{ id: "13", reason: "rate", word: "on request" }]);
  const importing = { intent: "import", digest: preview?.digest ?? "" };
  expect(await submit({ ...importing, picked: "[]" })).toMatchObject({ status: 400 });
  expect(await submit({ ...importing, picked: `["11"]` })).toMatchObject({
    message: "Catalog imported: 1 added off sale.",
  });
  expect(await ofProvider(providerId)).toHaveLength(1);
  expect(await submit({ ...importing, picked: `["11"]` })).toMatchObject({ status: 409 });
  const change = { intent: "change-rule", category: "", margin: "50", roundTo: "0.05", minimum: "0" };
  const [{ version: first = 0 } = {}] = await listRules(db, providerId);
  const [before, after] = [String(first), String(first + 1)];
  expect(await submit({ ...change, version: before })).toMatchObject({ kind: "done" });
  expect(await submit({ ...change, version: before })).toMatchObject({ status: 409 });
  expect(await submit({ intent: "remove-rule", category: "", version: before })).toMatchObject({ status: 409 });
  expect(await submit({ intent: "remove-rule", category: "", version: after })).toMatchObject({ kind: "done" });
  expect(await submit({ intent: "remove-rule", category: "", version: after })).toMatchObject({ status: 409 });
  expect(await submit({ intent: "sync" })).toMatchObject({ status: 409 });
  const log = await readActivity(db, { subject: "provider", subjectId: String(providerId) });
  expect(log.map(({ action }) => action)).toEqual([
    "price_rule.remove",
    "price_rule.change",
    "provider.import",
    "price_rule.add",
  ]);
  expect(log[2]?.detail).toEqual({ added: 1, changed: 0, removed: 0, "not ticked": 1, services: [], rates: 0 });
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
  expect(await saveService(created.serviceId, { ...terms, rate: 950_000, enabled: false })).toEqual({
    ok: true,
    changed: 2,
  });
  expect(await saveService(created.serviceId, { ...terms, rate: 950_000, enabled: false })).toEqual({
    ok: true,
    changed: 0,
  });
  expect(await readStaffService(db, created.serviceId)).toMatchObject({ rate: 950_000, enabled: false });
  const history = await readActivity(db, { subject: "service", subjectId: String(created.serviceId) });
  expect(history.map(({ action, detail }) => [action, detail])).toEqual([
    ["service.change", { rate: [900_000, 950_000], enabled: [true, false] }],
    ["service.create", terms],
  ]);
  expect(await saveService(999_999, terms)).toEqual({ ok: false, reason: "not_found" });
  const noProvider = { ...terms, providerId: 999_999, providerServiceId: "1" };
  expect(await saveService(created.serviceId, noProvider)).toEqual({
    ok: false,
    reason: "unknown_provider",
  });
});

async function honoringProvider() {
  const { url: apiUrl } = inject("sandbox");
  const providerId = await sandboxProvider();
  const { name } = await stored(providerId);
  const settings = { ...SETTINGS, name, apiUrl, key: "", honorsIdempotencyKeys: true };
  expect(await saveProvider(providerId, settings)).toEqual({ ok: true });
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
