import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { assignTier, readAssignedTier } from "#app/console/customers/tiers/assign-tier.server.ts";
import { readBelowCost } from "#app/console/customers/tiers/below-cost.server.ts";
import { changeOwnRates, changeTier, deleteTier, readTier } from "#app/console/customers/tiers/tier-admin.server.ts";
import { createTier } from "#app/console/stores/tier-store.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, orders, services, tiers, wallets, webhookDeliveries } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { queueCatalogWebhooks } from "#app/orders/webhooks/queue-catalog-webhooks.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";

const SITE = "https://growline.example";
const LINK = "https://instagram.com/p/1";
const actor = { userId: "admin-of-tiers", name: "Ada" };
const agreed = { toLoss: true };

afterEach(async () => {
  expect(await checkLedger(db)).toEqual([]);
  await db.update(wallets).set({ tierId: null });
  await db.delete(tiers);
});

test("charges the tier's rate, names the tier, and writes as many rows as without one", async () => {
  const serviceId = await service();
  const catalog = new CatalogCache();
  const cost = async (tierId: number | null) => {
    const { userId } = await customerWith(10 * MICRO);
    await assign(userId, tierId);
    await catalog.terms(db, serviceId, userId);
    const { database, counts, byStatement } = countedDatabase(env.DB);
    const placed = await place(userId, serviceId, catalog, connect(database));
    const rowsWritten = [...byStatement.values()].reduce((sum, one) => sum + one.rowsWritten, 0);
    return { placed, queries: counts.queries, rowsWritten };
  };
  const usual = await cost(null);
  const gold = await percentTier("Gold", 1000);
  const byTier = await cost(gold);
  expect(usual.placed).toMatchObject({ ok: true, order: { charge: 900_000, discount: 0, priceRule: null } });
  const rule = { kind: "tier", id: gold, name: "Gold", basisPoints: 1000 };
  expect(byTier.placed).toMatchObject({ ok: true, order: { charge: 810_000, discount: 90_000, priceRule: rule } });
  expect([byTier.queries, byTier.rowsWritten]).toEqual([usual.queries, usual.rowsWritten]);
});

test("prices an order again if the tier was assigned after an isolate remembered the customer's terms", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(10 * MICRO);
  const gold = await percentTier("Gold", 1000);
  const catalog = new CatalogCache();
  await place(userId, serviceId, catalog);
  await assign(userId, gold);
  expect(await place(userId, serviceId, catalog)).toMatchObject({ ok: true, order: { charge: 810_000 } });
  await assign(userId, null);
  expect(await place(userId, serviceId, catalog)).toMatchObject({
    ok: true,
    order: { charge: 900_000, priceRule: null },
  });
});

test("takes no order at the usual price because another customer's terms are remembered", async () => {
  const serviceId = await service();
  const [first, second] = [await customerWith(10 * MICRO), await customerWith(10 * MICRO)];
  await assign(second.userId, await percentTier("Gold", 1000));
  const catalog = new CatalogCache();
  await place(first.userId, serviceId, catalog);
  expect(await place(second.userId, serviceId, catalog)).toMatchObject({ ok: true, order: { charge: 810_000 } });
  expect(await place(first.userId, serviceId, catalog)).toMatchObject({ ok: true, order: { charge: 900_000 } });
});

test("charges each of many orders by a tier that was in force, while it is assigned and taken away", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(1000 * MICRO);
  const gold = await percentTier("Gold", 1000);
  const catalogs = [new CatalogCache(), new CatalogCache()];
  const work = Array.from({ length: 40 }, (_, n) =>
    n % 4 === 0 ? assign(userId, n % 8 === 0 ? gold : null) : place(userId, serviceId, catalogs[n % 2]),
  );
  await Promise.all(work);
  const placed = await db.select().from(orders).where(eq(orders.userId, userId));
  expect(placed).toHaveLength(30);
  for (const { charge, discount, priceRule } of placed) {
    expect([charge, discount]).toEqual(priceRule === null ? [900_000, 0] : [810_000, 90_000]);
  }
  const charged = placed.reduce((sum, { charge }) => sum + charge, 0);
  expect(await readBalance(db, userId)).toBe(1000 * MICRO - charged);
});

test("refuses to charge more than was shown when the tier is taken away between page and click", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(10 * MICRO);
  await assign(userId, await percentTier("Gold", 1000));
  const shown = (await readOffer(db, serviceId, userId)) ?? { rate: 0 };
  expect(shown).toMatchObject({ rate: 810_000, lowered: { name: "Gold", usualRate: 900_000 } });
  expect(await readOffer(db, serviceId)).toMatchObject({ rate: 900_000 });
  await assign(userId, null);
  const input = { serviceId, fields: { link: LINK, quantity: "1000" }, idempotencyKey: null, source: "web" } as const;
  expect(await placeOrder(db, userId, { ...input, maxCharge: () => shown.rate })).toEqual({
    ok: false,
    fault: { reason: "charge_above_max", charge: 900_000, max: 810_000 },
  });
});

test("sells at the usual price after a tier is deleted, and keeps what its orders were placed with", async () => {
  const serviceId = await service();
  const { userId } = await customerWith(10 * MICRO);
  const gold = await percentTier("Gold", 1000);
  await assign(userId, gold);
  const catalog = new CatalogCache();
  const first = await place(userId, serviceId, catalog);
  expect(await deleteTier(db, actor, gold, 7)).toEqual({ ok: false, reason: "stale" });
  expect(await deleteTier(db, actor, gold, 1)).toEqual({ ok: true });
  expect(await place(userId, serviceId, catalog)).toMatchObject({
    ok: true,
    order: { charge: 900_000, priceRule: null },
  });
  const [stored] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, first.ok ? first.order.id : 0));
  expect(stored).toMatchObject({ charge: 810_000, priceRule: { name: "Gold" } });
  expect(await readAssignedTier(db, userId)).toMatchObject({ tierId: null, name: null });
});

test("repeats the first answer of a key whatever the customer's tier is by then", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const gold = await percentTier("Gold", 1250);
  await assign(userId, gold);
  const body = { service: await service(), link: LINK, quantity: 1000 };
  const first = await (await createOrder(apiKey, body, "key-1")).text();
  expect(JSON.parse(first)).toMatchObject({
    charge: "0.7875",
    discount: "0.1125",
    price_rule: { kind: "tier", name: "Gold", percent: 12.5 },
  });
  await assign(userId, null);
  expect(await (await createOrder(apiKey, body, "key-1")).text()).toBe(first);
});

test("names the rule in API v1 and leaves the bodies of the panel API as they are", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const usual = await (await createOrder(apiKey, { service: serviceId, link: LINK, quantity: 1000 })).json<{
    id: number;
  }>();
  expect(Object.keys(usual)).not.toContain("price_rule");
  await assign(userId, await percentTier("Gold", 1000));
  const { id } = await (await createOrder(apiKey, { service: serviceId, link: `${LINK}2`, quantity: 1000 })).json<{
    id: number;
  }>();
  const priced = { price_rule: { kind: "tier", name: "Gold", percent: 10 }, discount: "0.09" };
  const get = async (path: string) =>
    (await SELF.fetch(SITE + path, { headers: { Authorization: `Bearer ${apiKey}` } })).json();
  expect(await get("/api/v1/orders")).toMatchObject({
    orders: [
      { id, charge: "0.81", ...priced },
      { id: usual.id, price_rule: null, discount: "0.00" },
    ],
  });
  expect(await get(`/api/status?order=${id}`)).toMatchObject({ charge: "0.81", ...priced });
  const several = await get(`/api/status?orders=${id},${usual.id}`);
  expect(several).toMatchObject({ [id]: priced });
  const panel = await SELF.fetch(`${SITE}/api/v2`, {
    method: "POST",
    body: new URLSearchParams({ key: apiKey, action: "status", order: String(id) }),
  });
  expect(await panel.json()).toEqual({
    charge: "0.81",
    start_count: "",
    status: "Pending",
    remains: "1000",
    currency: "USD",
    expected_by: null,
    refill_until: null,
  });
});

test("lists services at the caller's rates, with an ETag for each tier, and has the list read again after a change", async () => {
  const [plain, tiered] = [await customerWith(0), await customerWith(0)];
  const serviceId = await service({ rate: 900_000 });
  const gold = await percentTier("Gold", 1000);
  await assign(tiered.userId, gold);
  const list = async (apiKey: string, query = "") => {
    const response = await SELF.fetch(`${SITE}/api/services${query}`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    const body = await response.json<{ service: number; rate: string }[]>();
    const rate = Array.isArray(body) ? body.find((one) => one.service === serviceId)?.rate : undefined;
    const version = response.headers.get("Catalog-Version") ?? "";
    return { status: response.status, tag: response.headers.get("ETag"), rate, version, body };
  };
  const [usual, byTier] = [await list(plain.apiKey), await list(tiered.apiKey)];
  expect([usual.rate, byTier.rate]).toEqual(["0.90", "0.81"]);
  expect(byTier.tag).not.toBe(usual.tag);
  expect((await list(tiered.apiKey)).tag).toBe(byTier.tag);
  expect((await list(tiered.apiKey, `?since=${byTier.version}`)).status).toBe(200);
  await changeTier(db, actor, gold, { name: "Gold", basisPoints: 2000 }, 1, agreed);
  expect((await list(tiered.apiKey, `?since=${byTier.version}`)).status).toBe(410);
  expect((await list(plain.apiKey, `?since=${usual.version}`)).status).toBe(200);
  const changed = await list(tiered.apiKey);
  expect(changed.rate).toBe("0.72");
  expect((await list(tiered.apiKey, `?since=${changed.version}`)).status).toBe(200);
  await deleteTier(db, actor, gold, 2);
  expect((await list(tiered.apiKey, `?since=${changed.version}`)).status).toBe(410);
  expect((await list(tiered.apiKey)).rate).toBe("0.90");
});

test("serves the public catalog at the usual rates, and a customer's own to nobody else", async () => {
  const serviceId = await service({ rate: 900_000 });
  const response = await SELF.fetch(`${SITE}/catalog.json`);
  const { services: listed } = await response.json<{ services: { id: number; rate: number }[] }>();
  expect(listed.find(({ id }) => id === serviceId)?.rate).toBe(900_000);
  const own = await SELF.fetch(`${SITE}/catalog.json?tier=1`, { redirect: "manual" });
  expect(own.status).toBe(302);
});

test("tells a webhook what changed in the catalog at the rates of its owner's tier, and nothing that changed nothing there", async () => {
  const [plain, gold, pinned] = [await customerWith(0), await customerWith(0), await customerWith(0)];
  const serviceId = await service({ rate: MICRO });
  await assign(gold.userId, await percentTier("Gold", 1000));
  const created = await createTier(db, actor, { name: "Pinned", kind: "fixed", basisPoints: 0 }, crypto.randomUUID());
  const pinnedTier = created.ok ? created.tierId : 0;
  await changeOwnRates(db, actor, pinnedTier, [{ serviceId, rate: 500_000 }], 1, agreed);
  await assign(pinned.userId, pinnedTier);
  const endpoints = new Map<string, string>();
  for (const { userId } of [plain, gold, pinned]) {
    const endpoint = await createEndpoint(db, env, await ownerOf(userId), `https://shop.example/${userId}`, {
      wantsOrders: false,
      wantsCatalog: true,
    });
    if (!endpoint.ok) throw new Error(endpoint.reason);
    endpoints.set(userId, endpoint.id);
  }
  await db
    .update(services)
    .set({ rate: 2 * MICRO })
    .where(eq(services.id, serviceId));
  await queueCatalogWebhooks(db, withoutDispatchers);
  const ratesTold = async (userId: string) => {
    const queued = await db
      .select({ body: webhookDeliveries.body })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.endpointId, endpoints.get(userId) ?? ""));
    return queued.flatMap(({ body }) => {
      const { data } = JSON.parse(body) as { data: { services: { service: number; before: Rated; after: Rated }[] } };
      const told = data.services.filter((one) => one.service === serviceId);
      return told.map(({ before, after }) => [before.rate, after.rate]);
    });
  };
  expect(await ratesTold(plain.userId)).toEqual([["1.00", "2.00"]]);
  expect(await ratesTold(gold.userId)).toEqual([["0.90", "1.80"]]);
  expect(await ratesTold(pinned.userId)).toEqual([]);
});

test("allows ten tiers and one of each name, and gives no id twice", async () => {
  const ids: number[] = [];
  for (let n = 1; n <= 10; n++) ids.push(await percentTier(`Tier ${n}`, 100 * n));
  const one = { name: "Tier 11", kind: "percent" as const, basisPoints: 100 };
  expect(await createTier(db, actor, one, crypto.randomUUID())).toEqual({ ok: false, reason: "too_many" });
  expect(await createTier(db, actor, { ...one, name: "Tier 3" }, crypto.randomUUID())).toMatchObject({ ok: false });
  // The last one: without AUTOINCREMENT, its id would be the next.
  await deleteTier(db, actor, ids.at(-1) ?? 0, 1);
  const next = await createTier(db, actor, one, crypto.randomUUID());
  expect(next).toEqual({ ok: true, tierId: expect.any(Number) });
  expect(ids).not.toContain(next.ok && next.tierId);
  await deleteTier(db, actor, ids[4] ?? 0, 1);
  expect(await createTier(db, actor, { ...one, name: "Tier 1" }, crypto.randomUUID())).toEqual({
    ok: false,
    reason: "name_taken",
  });
});

test("writes who assigned which tier, and refuses an assignment from an older page", async () => {
  const { userId } = await customerWith(0);
  const [gold, silver] = [await percentTier("Gold", 1000), await percentTier("Silver", 500)];
  const { version = -1 } = (await readAssignedTier(db, userId)) ?? {};
  expect(version).toBe(0);
  expect(await assignTier(db, actor, userId, gold, version)).toEqual({ ok: true, changed: true });
  expect(await assignTier(db, actor, userId, silver, version)).toEqual({ ok: false, reason: "stale" });
  const now = (await readAssignedTier(db, userId))?.version ?? 0;
  expect(now).toBeGreaterThan(0);
  expect(await assignTier(db, actor, userId, gold, now)).toEqual({ ok: true, changed: false });
  expect(await assignTier(db, actor, userId, 9, now)).toEqual({ ok: false, reason: "unknown_tier" });
  expect(await assignTier(db, actor, crypto.randomUUID(), gold, 0)).toEqual({ ok: false, reason: "not_found" });
  const both = await Promise.all(
    [gold, silver].map((one) => assignTier(db, actor, userId, one === gold ? null : one, now)),
  );
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  const [entry] = await db.select().from(auditLog).where(eq(auditLog.subjectId, userId)).orderBy(auditLog.id);
  expect(entry).toMatchObject({ action: "customer.tier", actorName: "Ada", detail: { tier: [null, "Gold"] } });
});

test("asks before a tier sells below cost", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await service({ rate: MICRO, providerId, providerServiceId: "s1", providerRate: 800_000 });
  const gold = await percentTier("Gold", 1000);
  const terms = { name: "Gold", basisPoints: 3000 };
  const refused = await changeTier(db, actor, gold, terms, 1, { toLoss: false });
  expect(refused).toMatchObject({
    ok: false,
    reason: "below_cost",
    losses: { count: 1, first: [{ id: serviceId, rate: 700_000, cost: 800_000 }] },
  });
  expect(await changeTier(db, actor, gold, terms, 1, agreed)).toEqual({ ok: true, changed: true });
  expect(await changeTier(db, actor, gold, { ...terms, basisPoints: 4000 }, 1, agreed)).toEqual({
    ok: false,
    reason: "stale",
  });
  const created = await createTier(db, actor, { name: "Partners", kind: "fixed", basisPoints: 0 }, crypto.randomUUID());
  const fixed = created.ok ? created.tierId : 0;
  const rates = [{ serviceId, rate: 750_000 }];
  expect(await changeOwnRates(db, actor, fixed, rates, 1, { toLoss: false })).toMatchObject({ reason: "below_cost" });
  expect(await changeOwnRates(db, actor, fixed, rates, 1, agreed)).toEqual({ ok: true, changed: 1 });
  expect(await changeOwnRates(db, actor, fixed, [{ serviceId: 2 ** 31 - 1, rate: 1 }], 2, agreed)).toMatchObject({
    reason: "unknown_service",
  });
  const found = await readTier(db, fixed);
  expect(found?.tier.version).toBe(2);
  expect(found && (await readBelowCost(db, found.tier))).toMatchObject({ count: 1 });
});

type Rated = { rate: string };

async function percentTier(name: string, basisPoints: number): Promise<number> {
  const created = await createTier(db, actor, { name, kind: "percent", basisPoints }, crypto.randomUUID());
  if (!created.ok) throw new Error(created.reason);
  return created.tierId;
}

async function assign(userId: string, tierId: number | null): Promise<void> {
  for (;;) {
    const { version = 0 } = (await readAssignedTier(db, userId)) ?? {};
    const assigned = await assignTier(db, actor, userId, tierId, version);
    if (assigned.ok) return;
    if (assigned.reason !== "stale") throw new Error(assigned.reason);
  }
}

function place(userId: string, serviceId: number, catalog = new CatalogCache(), at = db) {
  const input = { serviceId, fields: { link: LINK, quantity: "1000" }, idempotencyKey: null, source: "api" } as const;
  return placeOrder(at, userId, input, catalog);
}

function createOrder(apiKey: string, body: object, key?: string): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v1/create_order`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      ...(key && { "Idempotency-Key": key }),
    },
    body: JSON.stringify(body),
  });
}
