import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, desc, eq } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { apiKeys, orders, securityEvents } from "#app/db/schema.server.ts";
import { type KeyLimits, limitApiKey, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";

const SITE = "https://growline.example";
const LINK = "https://instagram.com/p/1";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("accepts exactly five of twenty parallel orders that a daily cap covers five times", async () => {
  const { userId, key } = await limitedKey({ dailyCap: 5 * MICRO });
  const serviceId = await service({ rate: MICRO });
  const responses = await Promise.all(Array.from({ length: 20 }, () => createOrder(key, serviceId)));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(responses.filter(({ status }) => status === 402)).toHaveLength(15);
  expect(await responses.find(({ status }) => status === 402)?.json()).toMatchObject({
    code: "daily_cap_reached",
    title: "Daily spending cap of this API key reached",
  });
  expect(await readBalance(db, userId)).toBe(95 * MICRO);
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(5);
  expect(await spending(userId)).toMatchObject({ spent: 5 * MICRO });
});

test("reports a reached cap to a panel client as HTTP 200 with nothing but the text", async () => {
  const { key } = await limitedKey({ dailyCap: MICRO });
  const serviceId = await service({ rate: MICRO });
  const add = () => panel(key, { action: "add", service: String(serviceId), link: LINK, quantity: "1000" });
  expect(await (await add()).json()).toEqual({ order: expect.any(Number) });
  const refused = await add();
  expect([refused.status, await refused.json()]).toEqual([
    200,
    { error: "Daily spending cap of this API key reached" },
  ]);
  expect(await (await panel(key, { action: "balance" })).json()).toEqual({ balance: "99.00", currency: "USD" });
});

test("counts each key's own orders, neither refused nor test nor other ones", async () => {
  const { userId, key } = await limitedKey({ dailyCap: 2 * MICRO });
  const { key: other } = await newKey(userId, { name: "other", scopes: ["read", "order"] });
  const { key: testKey } = await newKey(userId, {
    name: "test",
    scopes: ["read", "order"],
    isTest: true,
    limits: { ...NONE, dailyCap: MICRO },
  });
  const serviceId = await service({ rate: MICRO, max: 1_000_000 });
  for (let n = 0; n < 3; n++) expect((await createOrder(other, serviceId)).status).toBe(201);
  for (let n = 0; n < 3; n++) expect((await createOrder(testKey, serviceId)).status).toBe(201);
  expect((await createOrder(key, serviceId, { quantity: 1 })).status).toBe(422);
  expect((await createOrder(key, serviceId)).status).toBe(201);
  expect((await createOrder(key, serviceId, { quantity: 500_000 })).status).toBe(402);
  expect((await createOrder(key, serviceId)).status).toBe(201);
  expect((await createOrder(key, serviceId)).status).toBe(402);
});

test("replays a repeated order of a key whose cap is reached, and counts it once", async () => {
  const { userId, key } = await limitedKey({ dailyCap: MICRO });
  const serviceId = await service({ rate: MICRO });
  const first = await createOrder(key, serviceId, { request_id: "once" });
  const again = await createOrder(key, serviceId, { request_id: "once" });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(await again.json()).toEqual(await first.json());
  expect(await spending(userId)).toMatchObject({ spent: MICRO });
});

test("does not raise the cap by a refund", async () => {
  const { userId, key } = await limitedKey({ dailyCap: MICRO });
  const serviceId = await service({ rate: MICRO });
  await createOrder(key, serviceId);
  const [order] = await db.select().from(orders).where(eq(orders.userId, userId));
  if (!order) throw new Error("no order");
  await closeOrder(db, env, order, { status: "Canceled", remains: order.remains, startCount: null });
  expect(await readBalance(db, userId)).toBe(100 * MICRO);
  expect((await createOrder(key, serviceId)).status).toBe(402);
});

test("starts the count over on the next day in UTC, and never on an earlier one", async () => {
  const { userId, key } = await limitedKey({ dailyCap: MICRO });
  const serviceId = await service({ rate: MICRO });
  const today = Math.floor(Date.now() / DAY_MS);
  await db
    .update(apiKeys)
    .set({ spent: MICRO, spentDay: today - 1 })
    .where(named(userId));
  expect((await createOrder(key, serviceId)).status).toBe(201);
  expect(await spending(userId)).toEqual({ spent: MICRO, spentDay: today });
  // Another isolate's clock is already past midnight.
  await db
    .update(apiKeys)
    .set({ spentDay: today + 1 })
    .where(named(userId));
  expect((await createOrder(key, serviceId)).status).toBe(402);
});

test("lets a key in only from its addresses, and records others in the activity list", async () => {
  const { userId, key } = await limitedKey({ addresses: ["203.0.113.0/24", "2001:db8::/32"] });
  const read = (address: string) => call(key, address);
  for (const allowed of ["203.0.113.9", "2001:db8:5::1", "::ffff:203.0.113.200"]) {
    expect((await read(allowed)).status, allowed).toBe(200);
  }
  for (const refused of ["203.0.114.9", "2001:db9::1", "::1", "nonsense"]) {
    const response = await read(refused);
    expect(response.status, refused).toBe(403);
    expect(await response.json()).toEqual({ error: "API key not allowed from this IP address" });
  }
  const atPanel = await SELF.fetch(`${SITE}/api/v2`, {
    method: "POST",
    headers: { "CF-Connecting-IP": "198.51.100.1" },
    body: new URLSearchParams({ key, action: "balance" }),
  });
  expect([atPanel.status, await atPanel.json()]).toEqual([200, { error: "API key not allowed from this IP address" }]);
  await vi.waitFor(
    async () => {
      const denied = await events(userId, "denied");
      expect(denied.map(({ network, detail }) => ({ network, detail }))).toContainEqual({
        network: "198.51.100.1",
        detail: { action: "use_api_key", key: "limited" },
      });
    },
    { timeout: 90_000 },
  );
});

test("does not let calls from other addresses use up the key's requests", async () => {
  const { key } = await limitedKey({ addresses: ["203.0.113.1"] });
  const before = remaining(await call(key, "203.0.113.1"));
  for (let n = 0; n < 5; n++) await call(key, "198.51.100.77");
  expect(remaining(await call(key, "203.0.113.1"))).toBe(before - 1);
});

test("applies changed limits from the next request on", async () => {
  const { userId, id, key } = await limitedKey({});
  const serviceId = await service({ rate: MICRO });
  expect((await call(key, "198.51.100.1")).status).toBe(200);
  const stranger = await customerWith(0);
  expect(await limitApiKey(db, env, await ownerOf(stranger.userId), id, { ...NONE, dailyCap: 1 })).toBe(false);
  expect(await limitApiKey(db, env, await ownerOf(userId), id, { ...NONE, addresses: ["203.0.113.1"] })).toBe(true);
  expect((await call(key, "198.51.100.1")).status).toBe(403);
  expect(await limitApiKey(db, env, await ownerOf(userId), id, { ...NONE, dailyCap: 100 })).toBe(true);
  expect((await createOrder(key, serviceId)).status).toBe(402);
  expect(await limitApiKey(db, env, await ownerOf(userId), id, { ...NONE, expiresAt: Date.now() })).toBe(true);
  expect((await createOrder(key, serviceId)).status).toBe(401);
});

test("refuses an expired key, and lets its successor live as long as it did", async () => {
  const { userId, id, key } = await limitedKey({
    expiresAt: Date.now() + 90 * DAY_MS,
    addresses: ["203.0.113.1"],
    dailyCap: 7,
  });
  expect((await call(key, "203.0.113.1")).status).toBe(200);
  const next = await rotateApiKey(db, env, await ownerOf(userId), id);
  if (!next.ok) throw new Error(next.reason);
  const [created] = await db.select().from(apiKeys).where(eq(apiKeys.id, next.id));
  expect(created).toMatchObject({ name: "limited", addresses: ["203.0.113.1"], dailyCap: 7 });
  expect((created?.expiresAt ?? 0) - (created?.createdAt ?? 0)).toBeGreaterThan(89 * DAY_MS);
  const [old] = await db.select().from(apiKeys).where(eq(apiKeys.id, id));
  expect(old?.expiresAt).toBeLessThanOrEqual(Date.now() + DAY_MS);
  expect(await limitApiKey(db, env, await ownerOf(userId), id, NONE)).toBe(false);
  await limitApiKey(db, env, await ownerOf(userId), next.id, { ...NONE, expiresAt: Date.now() - 1 });
  expect((await call(next.key, "203.0.113.1")).status).toBe(401);
});

test("keeps a key's cap over a rotation, for the old key and its successors together", async () => {
  const { userId, id, key } = await limitedKey({ dailyCap: 3 * MICRO });
  const serviceId = await service({ rate: MICRO });
  expect((await createOrder(key, serviceId)).status).toBe(201);
  const second = await rotateApiKey(db, env, await ownerOf(userId), id);
  if (!second.ok) throw new Error(second.reason);
  const third = await rotateApiKey(db, env, await ownerOf(userId), second.id);
  if (!third.ok) throw new Error(third.reason);
  const responses = await Promise.all(
    [key, second.key, third.key, key, second.key, third.key].map((one) => createOrder(one, serviceId)),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(responses.filter(({ status }) => status === 402)).toHaveLength(4);
  expect(await limitApiKey(db, env, await ownerOf(userId), third.id, { ...NONE, dailyCap: 4 * MICRO })).toBe(true);
  expect((await createOrder(key, serviceId)).status).toBe(201);
  expect((await createOrder(third.key, serviceId)).status).toBe(402);
});

test("replaces a key once out of many parallel requests", async () => {
  const { userId, id } = await limitedKey({ dailyCap: MICRO });
  const owner = await ownerOf(userId);
  const rotations = await Promise.all(Array.from({ length: 8 }, () => rotateApiKey(db, env, owner, id)));
  expect(rotations.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await db.$count(apiKeys, named(userId))).toBe(2);
});

test("records a key's first use from each new network once", async () => {
  const { userId, key } = await limitedKey({});
  for (const address of ["203.0.113.1", "203.0.113.200", "2001:db8:7::1", "2001:db8:7:ffff::1"])
    await call(key, address);
  await vi.waitFor(async () => expect(await events(userId, "api_key_new_network")).toHaveLength(2), {
    timeout: 90_000,
  });
  expect((await spendingRow(userId)).networks.map(({ network }) => network)).toEqual([
    "2001:db8:7::/48",
    "203.0.113.0/24",
  ]);
});

const NONE: KeyLimits = { expiresAt: null, addresses: [], dailyCap: null };

async function limitedKey(limits: Partial<KeyLimits>) {
  const { userId } = await customerWith(100 * MICRO);
  const created = await newKey(userId, {
    name: "limited",
    scopes: ["read", "order"],
    limits: { ...NONE, ...limits },
  });
  return { userId, ...created };
}

function createOrder(key: string, serviceId: number, more: object = {}): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v1/create_order`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ service: serviceId, link: LINK, quantity: 1000, ...more }),
  });
}

function panel(key: string, fields: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v2`, { method: "POST", body: new URLSearchParams({ key, ...fields }) });
}

function call(key: string, address: string): Promise<Response> {
  return SELF.fetch(`${SITE}/api/balance`, {
    headers: { Authorization: `Bearer ${key}`, "CF-Connecting-IP": address },
  });
}

function remaining(response: Response): number {
  return Number(/r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]);
}

function named(userId: string) {
  return and(eq(apiKeys.userId, userId), eq(apiKeys.name, "limited"));
}

async function spendingRow(userId: string) {
  const [row] = await db.select().from(apiKeys).where(named(userId));
  if (!row) throw new Error("no key");
  return row;
}

async function spending(userId: string) {
  const { spent, spentDay } = await spendingRow(userId);
  return { spent, spentDay };
}

async function events(userId: string, kind: (typeof securityEvents.$inferSelect)["kind"]) {
  return db
    .select()
    .from(securityEvents)
    .where(and(eq(securityEvents.userId, userId), eq(securityEvents.kind, kind)))
    .orderBy(desc(securityEvents.id));
}
