import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { MAX_IDS_PER_CALL } from "#app/orders/api/api-schema.server.ts";
import { runPanelAction } from "#app/orders/api/panel-actions.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { acceptOrders, copyOrder, idThere, readOrder } from "#tests/workerd/place-orders.ts";
import { runFulfillment } from "#tests/workerd/run-fulfillment.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";

// What panels that resell us read about a subscription: SmartPanel 3.6 and 4.0 (PHP) and a Laravel panel made from it. They
// keep the status, the posts and the orders, make an order of their own of each new id and ask for its status like any other.

const POSTS = 5;
const PIECES = 100;
/** 500 pieces at 0.90 per 1,000. */
const CHARGE = 450_000;

type Status = {
  status: string;
  posts: string;
  orders: string[];
  expiry: string | null;
  charge: string;
  remains: string;
};

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("describes a subscription as the panel convention does, and keeps the fields of every order", async () => {
  const { apiKey } = await customerWith(MICRO);
  const order = await subscribe(apiKey, { expiry: "5/12/2026" });
  const plain = {
    charge: "0.45",
    start_count: "",
    remains: "500",
    currency: "USD",
    expected_by: null,
    refill_until: null,
  };
  const begun = { ...plain, status: "Active", expiry: "2026-12-05", posts: "0", orders: [] };
  expect(await panel(apiKey, { action: "status", order })).toEqual(begun);
  expect(await panel(apiKey, { action: "status", orders: `${order}, 999999999` })).toEqual({
    [order]: begun,
    999999999: { error: "Incorrect order ID" },
  });
  const headers = { Authorization: `Bearer ${apiKey}` };
  expect(await (await SELF.fetch(`${SITE}/api/status?order=${order}`, { headers })).json()).toEqual(begun);
  await setRemains(order, 250);
  const [first, second, third] = [0, 1, 2].map((post) => String(100_000_000 + Number(order) * 64 + post));
  const running = { ...begun, remains: "250", posts: "3", orders: [first, second, third] };
  expect(await panel(apiKey, { action: "status", order })).toEqual(running);
  expect(await panel(apiKey, { action: "status", orders: `${first},${third}` })).toEqual({
    [String(first)]: { ...plain, charge: "0.09", status: "Completed", remains: "0" },
    [String(third)]: { ...plain, charge: "0.09", status: "In progress", remains: "50" },
  });
  const noExpiry = await subscribe(apiKey);
  expect(await panel(apiKey, { action: "status", order: noExpiry })).toMatchObject({ expiry: null });
});

test("keeps the words of every other order, and of subscriptions in the list of API v1", async () => {
  const { apiKey } = await customerWith(MICRO);
  const add = { action: "add", service: String(await service()), link: "https://instagram.com/p/1", quantity: "10" };
  const { order } = await panel<{ order: number }>(apiKey, add);
  const fields = Object.keys(await panel(apiKey, { action: "status", order: String(order) }));
  expect(fields).toEqual(["charge", "start_count", "status", "remains", "currency", "expected_by", "refill_until"]);
  const subscription = await subscribe(apiKey);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const listed = await (await SELF.fetch(`${SITE}/api/v1/orders`, { headers })).json<{
    orders: { id: number; status: string }[];
  }>();
  expect(listed.orders[0]).toMatchObject({ id: Number(subscription), status: "Pending" });
});

for (const [name, says, remains, word] of [
  ["all of its posts", { status: "Completed", posts: "5", orders: ids(5) }, 0, "Completed"],
  ["some of its posts", { status: "Expired", posts: "5", orders: ids(2) }, 300, "Expired"],
  ["none of its posts", { status: "Expired", posts: "5", orders: [] }, 500, "Expired"],
  ["some posts, and is canceled", { status: "Canceled", posts: "5", orders: ids(2) }, 300, "Expired"],
  ["nothing, and is canceled", { status: "Canceled", remains: "500" }, 500, "Canceled"],
] as const) {
  test(`lets a reseller's panel charge its customer rightly for a subscription that got ${name}`, async () => {
    const { userId, apiKey } = await customerWith(MICRO);
    const providerId = await sandboxProvider();
    const order = await subscribe(apiKey, {}, { providerId, providerServiceId: crypto.randomUUID() });
    await acceptOrders([Number(order)]);
    const reseller = new Reseller(apiKey, order, 2 * CHARGE);
    let answer: object = { status: "Active", posts: "5", orders: [] };
    providerReplies(() => Response.json({ [idThere(Number(order))]: answer }));
    await runFulfillment(providerId);
    await reseller.sync();
    expect(reseller).toMatchObject({ status: "Active", refunded: 0 });
    answer = says;
    await runFulfillment(providerId);
    expect(await readBalance(db, userId)).toBe(MICRO - CHARGE + (CHARGE * remains) / (POSTS * PIECES));
    await reseller.sync();
    await reseller.sync();
    expect(reseller.status).toBe(word);
    // Twice our price: twice what we refunded.
    expect(reseller.refunded).toBe((2 * CHARGE * remains) / (POSTS * PIECES));
    expect(reseller.costs()).toBe(CHARGE - (CHARGE * remains) / (POSTS * PIECES));
  });
}

test("shows each post once its provider made an order for it, and never fewer", async () => {
  const { apiKey } = await customerWith(MICRO);
  const providerId = await sandboxProvider();
  const order = await subscribe(apiKey, {}, { providerId, providerServiceId: crypto.randomUUID() });
  await acceptOrders([Number(order)]);
  let made: string[] = [];
  providerReplies(() => Response.json({ [idThere(Number(order))]: { status: "Active", posts: "5", orders: made } }));
  for (const posts of [0, 2, 3]) {
    made = ids(posts);
    await runFulfillment(providerId);
    expect(await panel(apiKey, { action: "status", order })).toMatchObject({ status: "Active", posts: String(posts) });
  }
  expect(await readOrder(Number(order))).toMatchObject({ status: "In progress", remains: 200, refunded: 0 });
});

test("tells nobody but the owner about the posts of a subscription, and a test key nothing of live ones", async () => {
  const [owner, other] = [await customerWith(MICRO), await customerWith(MICRO)];
  const order = await subscribe(owner.apiKey);
  await setRemains(order, 0);
  const { orders: posts } = await panel<Status>(owner.apiKey, { action: "status", order });
  const test = await newKey(owner.userId, { name: "test", scopes: ["read", "order"], isTest: true });
  for (const key of [other.apiKey, test.key]) {
    expect(await panel(key, { action: "status", order: posts[0] ?? "" })).toEqual({ error: "Incorrect order ID" });
    const answers = Object.values(await panel<object>(key, { action: "status", orders: posts.join() }));
    expect(answers).toEqual(posts.map(() => ({ error: "Incorrect order ID" })));
  }
  const own = await subscribe(test.key);
  await ageOf(own);
  const simulated = await panel<Status>(test.key, { action: "status", order: own });
  expect(simulated).toMatchObject({ status: "Completed", posts: "5" });
  expect(await panel(test.key, { action: "status", order: simulated.orders[4] ?? "" })).toMatchObject({
    status: "Completed",
    remains: "0",
  });
  expect(await panel(owner.apiKey, { action: "status", order: simulated.orders[4] ?? "" })).toEqual({
    error: "Incorrect order ID",
  });
});

test("answers for no post that a subscription can't have, and refills and cancels none", async () => {
  const { apiKey } = await customerWith(MICRO);
  const order = await subscribe(apiKey);
  await setRemains(order, 0);
  const first = 100_000_000 + Number(order) * 64;
  const add = { action: "add", service: String(await service()), link: "https://instagram.com/p/1", quantity: "10" };
  const plain = await panel<{ order: number }>(apiKey, add);
  const none = { error: "Incorrect order ID" };
  for (const id of [first + POSTS, first + 63, 10_000_000_000 + Number(order) * 1000, 100_000_000 + plain.order * 64]) {
    expect(await panel(apiKey, { action: "status", order: String(id) }), String(id)).toEqual(none);
  }
  expect(await panel(apiKey, { action: "refill", order: String(first) })).toEqual(none);
  expect(await panel(apiKey, { action: "cancel", orders: String(first) })).toEqual([{ order: first, cancel: none }]);
});

test("reads no more for the posts of a subscription than for as many orders, in one statement", async () => {
  // Of test orders, whose copies need no ledger entries.
  const { userId } = await customerWith(MICRO);
  const { key } = await newKey(userId, { name: "test", scopes: ["read", "order"], isTest: true });
  const order = await subscribe(key, { posts: "64" });
  await ageOf(order);
  const { orders: posts } = await panel<Status>(key, { action: "status", order });
  expect(posts).toHaveLength(64);
  const others = await copyOrder(Number(order), 64);
  const context = { env, catalog: new CatalogCache(), waitUntil: () => {} };
  const by = {
    caller: { userId, keyId: "", isTest: true, scopes: ["read"] as ["read"] },
    key: { digest: "", hasUnsettled: false },
  };
  const costs = async (listed: string) => {
    const { database, counts } = countedDatabase(env.DB);
    const { signal } = new AbortController();
    const request = { ok: true, fields: { orders: listed }, key: null, idempotencyKey: null, hangUp: signal } as const;
    const result = await runPanelAction({ ...context, db: connect(database) }, by, "status", request);
    expect(result.ok && "body" in result && Object.values(result.body as object)).toHaveLength(64);
    expect(JSON.stringify(result)).not.toContain("error");
    return counts;
  };
  const [ofPosts, ofOrders] = [await costs(posts.join()), await costs(others.join())];
  expect(ofPosts.queries).toBe(1);
  expect(ofPosts.rowsRead).toBeLessThanOrEqual(ofOrders.rowsRead);
});

for (const action of ["orders", "multi_status"]) {
  test(`takes "${action}" for the status of several orders, at the same limits`, async () => {
    const [{ apiKey }, other] = [await customerWith(MICRO), await customerWith(MICRO)];
    const [mine, second, theirs] = [await subscribe(apiKey), await subscribe(apiKey), await subscribe(other.apiKey)];
    const list = `${mine},${second},${theirs},x`;
    expect(await panel(apiKey, { action, orders: list })).toEqual(
      await panel(apiKey, { action: "status", orders: list }),
    );
    const tooMany = Array.from({ length: MAX_IDS_PER_CALL + 1 }, (_, id) => id + 1).join();
    const unlisted: Record<string, string>[] = [{ orders: tooMany }, { orders: "" }, {}, { order: mine }];
    for (const fields of unlisted) {
      expect(await panel(apiKey, { action, ...fields }), JSON.stringify(fields)).toEqual({
        error: "Incorrect request",
      });
    }
    const { userId } = await customerWith(MICRO);
    const orderOnly = await newKey(userId, { name: "orders", scopes: ["order"] });
    const refused = { error: 'This key does not have the "read" scope' };
    expect(await panel(orderOnly.key, { action, orders: "1" })).toEqual(refused);
  });
}

test("takes no other name for the status of several orders", async () => {
  const { apiKey } = await customerWith(MICRO);
  for (const action of ["statuses", "Orders", "multi_refill", "refills", "constructor", "__proto__"]) {
    expect(await panel(apiKey, { action, orders: "1,2", refills: "1,2" }), action).toEqual({
      error: "Incorrect request",
    });
  }
});

/** A panel that resells us: charged in advance, refunds by what it reads. Amounts in micro-units. */
class Reseller {
  status = "";
  refunded = 0;
  private readonly apiKey: string;
  private readonly order: string;
  private readonly charge: number;
  private readonly known = new Map<string, { status: string; cost: number }>();

  constructor(apiKey: string, order: string, charge: number) {
    this.apiKey = apiKey;
    this.order = order;
    this.charge = charge;
  }

  async sync(): Promise<void> {
    if (this.status === "" || this.status === "Active") {
      const { status, posts, orders: made } = await panel<Status>(this.apiKey, { action: "status", order: this.order });
      this.status = status;
      for (const id of made) if (!this.known.has(id)) this.known.set(id, { status: "Pending", cost: 0 });
      if (status === "Expired") this.refunded += this.charge * (1 - Number(posts) / POSTS);
      if (status === "Canceled") this.refunded += this.charge;
    }
    for (const [id, { status: before }] of this.known) {
      const { status, remains, charge } = await panel<Status>(this.apiKey, { action: "status", order: id });
      if (before === status) continue;
      this.known.set(id, { status, cost: Math.round(Number(charge) * MICRO) });
      if (status === "Partial") this.refunded += ((this.charge / POSTS) * Number(remains)) / PIECES;
    }
    this.refunded = Math.round(this.refunded);
  }

  costs(): number {
    return [...this.known.values()].reduce((sum, { cost }) => sum + cost, 0);
  }
}

async function subscribe(
  apiKey: string,
  fields: Record<string, string> = {},
  terms: Parameters<typeof service>[0] = {},
) {
  const id = String(await service({ type: "Subscriptions", cancel: true, refill: true, ...terms }));
  const subscription = { username: "ada", min: "10", max: String(PIECES), posts: String(POSTS), delay: "0" };
  const { order } = await panel<{ order: number }>(apiKey, { action: "add", service: id, ...subscription, ...fields });
  return String(order);
}

/** Ends or moves a live order that staff fulfill. */
async function setRemains(order: string, remains: number): Promise<void> {
  const found = await readOrder(Number(order));
  if (remains === 0) await closeOrder(db, env, found, { status: "Completed", remains, startCount: null });
  else await db.update(orders).set({ status: "In progress", remains }).where(eq(orders.id, found.id));
}

/** Makes a test order old enough to be Completed. */
async function ageOf(order: string): Promise<void> {
  const createdAt = Date.now() - 60_000;
  await db
    .update(orders)
    .set({ createdAt })
    .where(eq(orders.id, Number(order)));
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(9000 + index));
}

async function panel<T = Record<string, unknown>>(key: string, fields: Record<string, string>): Promise<T> {
  return (
    await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body: new URLSearchParams({ key, ...fields }) })
  ).json<T>();
}
