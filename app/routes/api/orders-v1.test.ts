import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { anonymizeOrders } from "#app/orders/anonymize-orders.server.ts";
import { listOwnOrders, PAGE_WINDOW } from "#app/orders/api/own-orders.server.ts";
import { exportOrderData } from "#app/orders/export-order-data.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { copyOrder } from "#tests/workerd/place-orders.ts";

type Listed = { id: number; reference: string | null; metadata: object | null; status: string };
type Page = { orders: Listed[]; next_cursor: string | null };

const LINK = "https://instagram.com/p/1";
const NOTES = { reference: "invoice 1042", metadata: { customer: "C-77", priority: 2, rush: true } };

test("finds an order by its reference after the response was lost, with its metadata", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100 };
  expect(await list(apiKey, { reference: "invoice 1042" })).toEqual({ orders: [], next_cursor: null });
  const created = await (await post(apiKey, "/api/v1/create_order", { ...order, ...NOTES })).json<{ id: number }>();
  expect(created).toMatchObject(NOTES);
  await post(apiKey, "/api/v1/create_order", order);
  const found = await list(apiKey, { reference: " invoice 1042 " });
  expect(found).toMatchObject({ orders: [{ id: created.id, ...NOTES, status: "Pending" }], next_cursor: null });
  expect(await list(apiKey, { reference: "invoice 104" })).toMatchObject({ orders: [] });
});

test("returns reference and metadata with an order's status, at every route, and no such field without them", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100 };
  for (const [path, extra] of [
    ["/api/v2", { action: "add" }],
    ["/api/order", {}],
  ] as const) {
    const noted = await (await post(apiKey, path, { ...extra, ...order, ...NOTES })).json<{ order: number }>();
    const plain = await (await post(apiKey, path, { ...extra, ...order })).json<{ order: number }>();
    const status = async (id: number) =>
      (await post(apiKey, "/api/v2", { action: "status", order: id })).json<Record<string, unknown>>();
    expect(await status(noted.order)).toMatchObject(NOTES);
    const keys = Object.keys(await status(plain.order));
    expect(keys).toContain("remains");
    expect(keys.filter((name) => name === "reference" || name === "metadata")).toEqual([]);
    const several = await post(apiKey, "/api/v2", { action: "status", orders: `${noted.order},${plain.order}` });
    expect(await several.json()).toMatchObject({ [noted.order]: NOTES });
  }
});

test("lists with an order when it was expected and how long it can be refilled", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100 };
  const { id } = await (await post(apiKey, "/api/v1/create_order", order)).json<{ id: number }>();
  expect(await list(apiKey)).toMatchObject({ orders: [{ id, expected_by: null, refill_until: null }] });
  const times = { expectedBy: Date.UTC(2026, 10, 21, 12), refillUntil: Date.UTC(2026, 11, 21) };
  await db.update(orders).set(times).where(eq(orders.id, id));
  expect(await list(apiKey)).toMatchObject({
    orders: [{ id, expected_by: "2026-11-21T12:00:00.000Z", refill_until: "2026-12-21T00:00:00.000Z" }],
  });
});

test("takes metadata as JSON text in a form", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const fields = { action: "add", key: apiKey, service: String(await service()), link: LINK, quantity: "100" };
  const body = new URLSearchParams({ ...fields, reference: "r", metadata: '{"a":"b"}' });
  expect((await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body })).status).toBe(200);
  expect(await list(apiKey, { reference: "r" })).toMatchObject({ orders: [{ metadata: { a: "b" } }] });
});

test("refuses references and metadata out of their bounds, and places nothing", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100 };
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
  const bad: [field: string, value: unknown][] = [
    ...["", "  ", "x".repeat(101), "a\nb", "a\u0000b", {}, ["a"]].map((value): [string, unknown] => [
      "reference",
      value,
    ]),
    ...[{ a: { b: 1 } }, { a: [1] }, { a: null }, { "": 1 }, { ["x".repeat(41)]: 1 }, { a: "x".repeat(501) }].map(
      (value): [string, unknown] => ["metadata", value],
    ),
    ...[many(21), "text", "[1]", [1], "1", { a: "\ud800" }].map((value): [string, unknown] => ["metadata", value]),
    ["metadata", Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, "x".repeat(500)]))],
  ];
  for (const [field, value] of bad) {
    const response = await post(apiKey, "/api/v1/create_order", { ...order, [field]: value });
    expect(response.status, JSON.stringify(value)).toBe(422);
    expect(await response.json()).toMatchObject({ code: "invalid_field", field });
  }
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toEqual([]);
  const full = { reference: "x".repeat(100), metadata: many(20) };
  expect((await post(apiKey, "/api/v1/create_order", { ...order, ...full })).status).toBe(201);
});

test("keeps __proto__ in metadata a name like any other", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const body = `{"service":${await service()},"link":"${LINK}","quantity":100,"reference":"p","metadata":{"__proto__":"x"}}`;
  expect((await SELF.fetch(`${SITE}/api/v1/create_order`, { method: "POST", headers, body })).status).toBe(201);
  const listed = await SELF.fetch(`${SITE}/api/v1/orders?reference=p`, { headers });
  expect(await listed.text()).toContain('"metadata":{"__proto__":"x"}');
});

test("repeats an order with the same reference and metadata, and refuses its key with others", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100, ...NOTES };
  const send = (body: object) => post(apiKey, "/api/v1/create_order", body, "key");
  const first = await (await send(order)).json();
  const { customer, ...others } = NOTES.metadata;
  expect(await (await send({ ...order, metadata: { ...others, customer } })).json()).toEqual(first);
  expect((await send({ ...order, reference: "other" })).status).toBe(409);
  expect((await send({ ...order, metadata: { customer: "C-78" } })).status).toBe(409);
  expect((await send({ service: order.service, link: LINK, quantity: 100 })).status).toBe(409);
});

test("lists no order of another customer, and test orders to test keys alone", async () => {
  const [owner, other] = [await customerWith(10 * MICRO), await customerWith(10 * MICRO)];
  const { key: testKey } = await newKey(owner.userId, { name: "t", scopes: ["read", "order"], isTest: true });
  const order = { service: await service(), link: LINK, quantity: 100, reference: "same" };
  const place = async (key: string) =>
    (await (await post(key, "/api/v1/create_order", order)).json<{ id: number }>()).id;
  const [live, tried, foreign] = [await place(owner.apiKey), await place(testKey), await place(other.apiKey)];
  // Its status follows from its age: it stays pending, however long this takes.
  await db
    .update(orders)
    .set({ createdAt: Date.now() + 3_600_000 })
    .where(eq(orders.id, tried));
  for (const query of [{}, { reference: "same" }, { status: "Pending" }] as Record<string, string>[]) {
    const ids = async (key: string) => (await list(key, query)).orders.map(({ id }) => id);
    expect(await ids(owner.apiKey)).toEqual([live]);
    expect(await ids(testKey)).toEqual([tried]);
    expect(await ids(other.apiKey)).toEqual([foreign]);
    // A cursor of somebody else's order is a place in the list, and shows nothing of theirs.
    expect((await list(owner.apiKey, { ...query, cursor: String(foreign) })).orders.map(({ id }) => id)).toEqual([
      live,
    ]);
  }
});

test("filters by status, also the simulated one of test orders", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const { key: testKey } = await newKey(userId, { name: "t", scopes: ["read", "order"], isTest: true });
  const order = { service: await service(), link: LINK, quantity: 100 };
  for (const key of [apiKey, testKey]) {
    for (const age of [0, 3000, 60_000]) {
      const { id } = await (await post(key, "/api/v1/create_order", order)).json<{ id: number }>();
      await db
        .update(orders)
        .set({ createdAt: sql`${orders.createdAt} - ${sql.raw(String(age))}` })
        .where(eq(orders.id, id));
    }
  }
  expect((await list(apiKey, { status: "Pending" })).orders).toHaveLength(3);
  expect((await list(apiKey, { status: "Completed" })).orders).toHaveLength(0);
  const completed = await list(testKey, { status: "Completed" });
  expect(completed.orders.map(({ status }) => status)).toEqual(["Completed"]);
});

test("refuses a wrong limit, cursor, status or key with a problem, and other methods", async () => {
  const { apiKey } = await customerWith(0);
  for (const [name, value] of [
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "x"],
    ["cursor", "x"],
    ["status", "Done"],
    ["reference", ""],
  ]) {
    const response = await get(apiKey, { [name as string]: value as string });
    expect(response.status, `${name}=${value}`).toBe(400);
    expect(await response.json()).toMatchObject({ code: "incorrect_request", field: name });
  }
  expect((await get("nonsense", {})).status).toBe(401);
  const { userId } = await customerWith(0);
  const { key } = await newKey(userId, { name: "orders only", scopes: ["order"] });
  expect((await get(key, {})).status).toBe(403);
  expect((await post(apiKey, "/api/v1/orders", {})).status).toBe(405);
});

test("pages through all orders once while new ones arrive", async () => {
  const { userId, apiKey } = await customerWith(0);
  const before = await fill(userId, 25, {});
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await list(apiKey, { limit: "7", ...(cursor !== null && { cursor }) });
    seen.push(...page.orders.map(({ id }) => id));
    await fill(userId, 3, {});
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(before.reverse());
});

test("pages through all orders of a rare status once while others arrive in the middle of a page", async () => {
  const { userId } = await customerWith(0);
  const done = await fill(userId, 3, { status: "Completed" });
  await fill(userId, PAGE_WINDOW - 2, { status: "Canceled" });
  await fill(userId, 1, { status: "Completed" }).then((ids) => done.push(...ids));
  const arrive = () => fill(userId, 5, { status: "Canceled" });
  expect(await walk({ userId, status: "Completed" }, arrive)).toEqual(done.toReversed());
});

test("reads as many rows for a page deep in a long list as for the first, by an index", async () => {
  const { userId } = await customerWith(0);
  const oldest = await fill(userId, 1500, { status: "Completed" });
  await fill(userId, 1500, { status: "Completed", reference: "many" });
  const tests = await fill(userId, 1500, { isTest: true });
  const middle = (tests[0] ?? 0) - 700;
  const cost = async (isTest: boolean, query: Partial<Parameters<typeof listOwnOrders>[2]>) => {
    const { database, counts, byStatement } = countedDatabase(env.DB);
    const wanted = { reference: null, status: null, before: null, limit: 50, ...query };
    const page = await listOwnOrders(connect(database), { userId, isTest }, wanted);
    for (const text of byStatement.keys()) {
      const plan = await env.DB.prepare(`explain query plan ${text}`)
        .bind(...Array.from({ length: (text.match(/\?/g) ?? []).length }, () => 1))
        .all<{ detail: string }>();
      const details = plan.results.map(({ detail }) => detail).join("; ");
      expect(details).not.toMatch(/SCAN orders|TEMP B-TREE/);
    }
    return { rows: counts.rowsRead, found: page.orders.length };
  };
  const full = await cost(false, { before: middle });
  expect(full).toMatchObject({ found: 50 });
  expect(full.rows).toBeLessThan(300);
  expect((await cost(false, { before: middle - 600 })).rows).toBe(full.rows);
  // The last page is one row more for each order on it, and one for the end, to see that there is no next.
  const last = await cost(false, { before: oldest[50] ?? 0 });
  expect(last).toMatchObject({ found: 50 });
  expect(last.rows).toBeLessThanOrEqual(full.rows + 51);
  const referred = await cost(false, { reference: "many" });
  expect(referred).toMatchObject({ found: 50 });
  expect(referred.rows).toBeLessThan(350);
  // One row more, or not: the last of the index has no neighbor to step over, and which user is the last is random.
  const deep = await cost(false, { reference: "many", before: middle });
  expect(deep.rows).toBeLessThanOrEqual(referred.rows + 1);
  const tried = await cost(true, {});
  expect(tried).toMatchObject({ found: 50 });
  expect(tried.rows).toBeLessThan(350);
  // Whatever is looked for, a page reads a bounded number of rows and says where to go on.
  const rare = await cost(false, { status: "Completed", before: null });
  expect(rare.rows).toBeLessThan(3 * PAGE_WINDOW);
  expect((await cost(false, { status: "Canceled" })).rows).toBeLessThan(20);
});

test("writes no more rows for an order without a reference than without its indexes", async () => {
  const { userId } = await customerWith(0);
  const written = async (notes: object) => {
    const { database, byStatement } = countedDatabase(env.DB);
    await fill(userId, 1, notes, connect(database));
    return [...byStatement.values()].reduce((total, { rowsWritten }) => total + rowsWritten, 0);
  };
  const plain = await written({ metadata: { a: 1 } });
  // One in the index of the customer's list, and one in that of the console's search.
  expect(await written({ reference: "one" })).toBe(plain + 2);
});

test("exports references and metadata, and removes them with the account", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const order = { service: await service(), link: LINK, quantity: 100, ...NOTES };
  const { id } = await (await post(apiKey, "/api/v1/create_order", order)).json<{ id: number }>();
  const { orders: exported } = await exportOrderData(db, userId);
  expect((await exported.next()).value).toMatchObject([NOTES]);
  await anonymizeOrders(db, env, userId);
  const [kept] = await db.select().from(orders).where(eq(orders.id, id));
  expect(kept).toMatchObject({ reference: null, metadata: null });
});

function get(key: string, query: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v1/orders?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
}

async function list(key: string, query: Record<string, string> = {}): Promise<Page> {
  const response = await get(key, query);
  expect(response.status).toBe(200);
  return response.json<Page>();
}

function post(key: string, path: string, body: object, idempotencyKey?: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return SELF.fetch(SITE + path, {
    method: "POST",
    headers: { ...headers, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
    body: JSON.stringify(body),
  });
}

/** Reads all pages and returns the ids. Runs `meanwhile` once, right after the first statement of the first page. */
async function walk(
  { userId, status }: { userId: string; status: "Completed" },
  meanwhile: () => Promise<unknown>,
): Promise<number[]> {
  let isDue = true;
  const then = async <T>(result: T): Promise<T> => {
    if (isDue) {
      isDue = false;
      await meanwhile();
    }
    return result;
  };
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): object => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: async () => then(await statement.all()),
      raw: async () => then(await statement.raw()),
    };
    inner.set(wrapped, statement);
    return wrapped;
  };
  const database = {
    prepare: (text: string) => wrap(env.DB.prepare(text)),
    batch: async (statements: object[]) =>
      then(await env.DB.batch(statements.map((one) => inner.get(one) as D1PreparedStatement))),
  };
  const seen: number[] = [];
  let before: number | null = null;
  do {
    const query = { reference: null, status, before, limit: 50 };
    const page = await listOwnOrders(connect(database as unknown as D1Database), { userId, isTest: false }, query);
    seen.push(...page.orders.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  return seen;
}

/** Stores orders of the user and returns their ids, oldest first. */
async function fill(
  userId: string,
  count: number,
  given: Partial<typeof orders.$inferInsert>,
  target = db,
): Promise<number[]> {
  const serviceId = fillService ?? (await service());
  fillService = serviceId;
  const [first] = await target
    .insert(orders)
    .values(rowOf(userId, serviceId, given))
    .returning({ id: orders.id });
  if (!first) throw new Error("the order was not stored");
  return [first.id, ...(await copyOrder(first.id, count - 1))];
}

let fillService: number | null = null;

function rowOf(
  userId: string,
  serviceId: number,
  given: Partial<typeof orders.$inferInsert>,
): typeof orders.$inferInsert {
  const key = crypto.randomUUID();
  return {
    userId,
    serviceId,
    type: "Default",
    link: LINK,
    quantity: 100,
    charge: 0,
    remains: 0,
    idempotencyKey: key,
    requestDigest: "",
    source: "api",
    fulfillment: "manual",
    createdAt: 1,
    updatedAt: 1,
    ...given,
  };
}
