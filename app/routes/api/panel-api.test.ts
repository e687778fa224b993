import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { orders, services } from "#app/db/schema.server.ts";
import { listApiKeys, revokeApiKey } from "#app/orders/api/api-keys.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";

const SITE = "https://growline.example";
const LINK = "https://instagram.com/p/1";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("returns 201 with the created order and charges exactly its price", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const serviceId = await service();
  const response = await createOrder(apiKey, { service: serviceId, link: LINK, quantity: 1000 });
  expect(response.status).toBe(201);
  expect(response.headers.get("X-Request-Id")).toBeTruthy();
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const created = await response.json<Record<string, unknown>>();
  expect(created).toMatchObject({
    service: serviceId,
    quantity: 1000,
    charge: "0.90",
    currency: "USD",
    status: "Pending",
  });
  expect(await readBalance(db, userId)).toBe(100_000);
  expect(await (await panel(apiKey, { action: "status", order: String(created.id) })).json()).toEqual({
    charge: "0.90",
    start_count: "",
    status: "Pending",
    remains: "1000",
    currency: "USD",
    expected_by: null,
    refill_until: null,
  });
});

test("replays the first response for a repeated Idempotency-Key, and refuses it with different content", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const body = { service: await service(), link: LINK, quantity: 1000 };
  const first = await createOrder(apiKey, body, "key-1");
  const again = await createOrder(apiKey, body, "key-1");
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(await again.json()).toEqual(await first.json());
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  const other = await createOrder(apiKey, { ...body, quantity: 2000 }, "key-1");
  expect(other.status).toBe(409);
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 900_000);
});

test("reports invalid orders as problem details and changes nothing", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const serviceId = await service();
  const order = { service: serviceId, link: LINK, quantity: 100 };
  const cases: [object, number, string, string | undefined][] = [
    [{ ...order, service: 999_999_999 }, 422, "unknown_service", "service"],
    [{ ...order, service: "1; drop table orders" }, 422, "unknown_service", "service"],
    [{ ...order, link: "not a link" }, 422, "bad_link", "link"],
    [{ ...order, link: "javascript:alert(1)" }, 422, "bad_link", "link"],
    [{ ...order, quantity: 9 }, 422, "quantity_too_small", "quantity"],
    [{ ...order, quantity: 1e6 }, 422, "quantity_too_large", "quantity"],
    [{ ...order, quantity: -100 }, 422, "invalid_field", "quantity"],
    [{ ...order, quantity: 10.5 }, 422, "invalid_field", "quantity"],
    [{ ...order, quantity: { $gt: 0 } }, 422, "invalid_field", "quantity"],
    [{ ...order, runs: 5, interval: 10 }, 422, "invalid_field", "runs"],
    [{ ...order, quantity: 100_000 }, 402, "insufficient_funds", undefined],
  ];
  for (const [body, status, code, field] of cases) {
    const response = await createOrder(apiKey, body);
    expect(response.headers.get("Content-Type"), code).toContain("application/problem+json");
    expect(await response.json(), JSON.stringify(body)).toMatchObject({ status, code, ...(field && { field }) });
    expect(response.status).toBe(status);
  }
  expect(await readBalance(db, userId)).toBe(MICRO);
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(0);
});

test("returns 404 for other spellings of a path and places no order", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const order = { service: String(await service()), link: LINK, quantity: "100" };
  for (const path of ["/API/balance", "/api/Status", "/api/bal%61nce", "/api//services", "/API/order"]) {
    const body = new URLSearchParams({ key: apiKey, ...order });
    expect((await SELF.fetch(SITE + path, { method: "POST", body })).status, path).toBe(404);
  }
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(0);
});

test("refuses keys that are missing, mistyped, revoked, in the URL or of the wrong scope", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const body = { service: await service(), link: LINK, quantity: 100 };
  const mistyped = apiKey.slice(0, -1) + (apiKey.endsWith("0") ? "1" : "0");
  for (const key of ["", "nonsense", mistyped, `gl_live_${"0".repeat(54)}`]) {
    const response = await createOrder(key, body);
    expect(response.status, key).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
  }
  const unreadable = (key: string) =>
    SELF.fetch(`${SITE}/api/v1/create_order`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: "{",
    });
  expect((await unreadable(mistyped)).status).toBe(401);
  expect((await unreadable(apiKey)).status).toBe(400);
  const { key: readOnly } = await newKey(userId, { name: "reads", scopes: ["read"] });
  expect((await createOrder(readOnly, body)).status).toBe(403);
  expect((await SELF.fetch(`${SITE}/api/balance?key=${apiKey}`)).status).toBe(400);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("refuses a revoked key at once, and lets only its owner revoke it", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const other = await customerWith(0);
  const body = { service: await service(), link: LINK, quantity: 100 };
  const [held] = await listApiKeys(db, userId);
  expect((await createOrder(apiKey, body)).status).toBe(201);
  expect(await revokeApiKey(db, env, other.userId, held?.id ?? "")).toBe(false);
  expect((await createOrder(apiKey, body)).status).toBe(201);
  expect(await revokeApiKey(db, env, userId, held?.id ?? "")).toBe(true);
  expect((await createOrder(apiKey, body)).status).toBe(401);
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(2);
});

test("charges the current price even when the worker has cached the old one", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const id = await service({ rate: 100_000 });
  const place = async (quantity: number) => createOrder(apiKey, { service: id, link: LINK, quantity });
  expect(await (await place(100)).json()).toMatchObject({ charge: "0.01" });
  await db.update(services).set({ rate: 200_000 }).where(eq(services.id, id));
  expect(await (await place(100)).json()).toMatchObject({ charge: "0.02" });
  await db.update(services).set({ min: 1 }).where(eq(services.id, id));
  expect(await (await place(1)).json()).toMatchObject({ charge: "0.0002" });
  await db.update(services).set({ enabled: false }).where(eq(services.id, id));
  expect((await place(100)).status).toBe(422);
  expect(await readBalance(db, userId)).toBe(MICRO - 30_200);
});

test("lists every catalog change at once", async () => {
  const { apiKey } = await customerWith(0);
  const names = async () => {
    const answer = await SELF.fetch(`${SITE}/api/services`, { headers: { Authorization: `Bearer ${apiKey}` } });
    return (await answer.json<{ service: number; name: string }[]>()).map(({ name }) => name);
  };
  const id = await service({ name: "First" });
  expect(await names()).toContain("First");
  await db.update(services).set({ name: "Second" }).where(eq(services.id, id));
  expect(await names()).toContain("Second");
  expect(await names()).not.toContain("First");
  await db.delete(services).where(eq(services.id, id));
  expect(await names()).not.toContain("Second");
});

test("returns 400 for a body that is not a JSON object and 405 for other methods", async () => {
  const { apiKey } = await customerWith(MICRO);
  for (const body of ["{", "[]", "null", '"text"', "\u0000"]) {
    const response = await SELF.fetch(`${SITE}/api/v1/create_order`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body,
    });
    expect(response.status, body).toBe(400);
  }
  const read = await SELF.fetch(`${SITE}/api/v1/create_order`);
  expect([read.status, read.headers.get("Allow")]).toEqual([405, "POST"]);
});

test("returns problem details for an unknown endpoint", async () => {
  const response = await SELF.fetch(`${SITE}/api/nothing/here`, { method: "POST" });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ status: 404, code: "not_found" });
});

test("places a panel client's form order despite the values that real clients send for unused fields", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const serviceId = String(await service());
  const placed = await panel(apiKey, {
    action: "add",
    service: serviceId,
    link: LINK,
    quantity: "100",
    runs: "undefined",
    interval: "undefined",
  });
  expect(placed.status).toBe(200);
  const { order } = await placed.json<{ order: number }>();
  expect(order).toBeGreaterThan(0);
  const comments = String(await service({ type: "Custom Comments", min: 2, max: 10, rate: 8_500_000 }));
  const fields = { action: "add", service: comments, link: LINK, quantity: "0", comments: "one\r\ntwo\n\nthree\n" };
  expect(await (await panel(apiKey, fields)).json()).toEqual({ order: expect.any(Number) });
  const charged = 90_000 + 25_500;
  expect(await readBalance(db, userId)).toBe(10 * MICRO - charged);
  expect(await (await panel(apiKey, { action: "balance" })).json()).toEqual({ balance: "9.8845", currency: "USD" });
});

test("accepts a trailing slash, JSON, a Bearer token and a request_id at the panel URL", async () => {
  const { apiKey } = await customerWith(10 * MICRO);
  const body = { action: "add", service: await service(), link: LINK, quantity: 100, request_id: "r-1" };
  const send = () =>
    SELF.fetch(`${SITE}/api/v2/`, {
      method: "POST",
      redirect: "manual",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const [first, again] = [await send(), await send()];
  expect(first.status).toBe(200);
  expect(await again.json()).toEqual(await first.json());
});

test("returns panel errors as HTTP 200 with nothing but the text", async () => {
  const { apiKey } = await customerWith(MICRO);
  const serviceId = String(await service());
  const add = { action: "add", service: serviceId, link: LINK, quantity: "100" };
  const cases: [string, Record<string, string>, string][] = [
    ["wrong", { action: "balance" }, "Invalid API key"],
    [apiKey, { action: "dance" }, "Incorrect request"],
    [apiKey, {}, "Incorrect request"],
    [apiKey, { ...add, service: "999999" }, "Incorrect service ID"],
    [apiKey, { ...add, link: "" }, "Bad link"],
    [apiKey, { ...add, quantity: "9" }, "Quantity less than minimal 10"],
    [apiKey, { ...add, quantity: "100001" }, "Quantity more than maximum 100000"],
    [apiKey, { ...add, quantity: "100000" }, "Not enough funds on balance"],
    [apiKey, { action: "status", order: "1" }, "Incorrect order ID"],
    [apiKey, { action: "status", order: "x" }, "Incorrect order ID"],
  ];
  for (const [key, fields, error] of cases) {
    const response = await panel(key, fields);
    expect(response.status).toBe(200);
    expect(await response.json(), JSON.stringify(fields)).toEqual({ error });
  }
});

test("returns several statuses by id, with an error in place of an invalid or another user's order", async () => {
  const [owner, stranger] = [await customerWith(MICRO), await customerWith(MICRO)];
  const serviceId = String(await service());
  const add = { action: "add", service: serviceId, link: LINK, quantity: "10" };
  const mine = (await (await panel(owner.apiKey, add)).json<{ order: number }>()).order;
  const theirs = (await (await panel(stranger.apiKey, add)).json<{ order: number }>()).order;
  const response = await panel(owner.apiKey, { action: "status", orders: `${mine},${theirs},x` });
  expect(await response.json()).toEqual({
    [mine]: expect.objectContaining({ charge: "0.009", start_count: "", status: "Pending", remains: "10" }),
    [theirs]: { error: "Incorrect order ID" },
    x: { error: "Incorrect order ID" },
  });
  const hundredAndOne = Array.from({ length: 101 }, (_, n) => n).join(",");
  expect(await (await panel(owner.apiKey, { action: "status", orders: hundredAndOne })).json()).toEqual({
    error: "Incorrect request",
  });
});

test("returns the same bodies with real status codes from single-action routes", async () => {
  const [{ apiKey }, other] = [await customerWith(MICRO), await customerWith(MICRO)];
  const serviceId = await service({ dripfeed: true, refill: true });
  const headers = { Authorization: `Bearer ${apiKey}` };
  const listed = await (await SELF.fetch(`${SITE}/api/services`, { headers })).json<Record<string, unknown>[]>();
  expect(listed.find((entry) => entry.service === serviceId)).toEqual({
    service: serviceId,
    name: "Likes",
    type: "Default",
    category: "Likes",
    rate: "0.90",
    min: "10",
    max: "100000",
    dripfeed: true,
    refill: true,
    cancel: false,
    refill_days: null,
    delivery_p50: null,
    delivery_p90: null,
    delivery_samples: null,
    partial_rate: null,
    cancel_rate: null,
  });
  expect(await (await SELF.fetch(`${SITE}/api/balance`, { headers })).json()).toEqual({
    balance: "1.00",
    currency: "USD",
  });
  const body = new URLSearchParams({ key: apiKey, service: String(serviceId), link: LINK, quantity: "10" });
  const { order } = await (await SELF.fetch(`${SITE}/api/order`, { method: "POST", body })).json<{ order: number }>();
  expect((await SELF.fetch(`${SITE}/api/order?order=${order}`, { headers })).status).toBe(200);
  expect((await SELF.fetch(`${SITE}/api/status?order=${order}`, { headers })).status).toBe(200);
  const stranger = await SELF.fetch(`${SITE}/api/order?order=${order}`, {
    headers: { Authorization: `Bearer ${other.apiKey}` },
  });
  expect([stranger.status, await stranger.json()]).toEqual([404, { error: "Incorrect order ID" }]);
  expect((await SELF.fetch(`${SITE}/api/balance`)).status).toBe(401);
});

function createOrder(apiKey: string, body: object, idempotencyKey?: string): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v1/create_order`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
}

function panel(key: string, fields: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v2`, { method: "POST", body: new URLSearchParams({ key, ...fields }) });
}

test("sends the list of services again only when it has changed", async () => {
  const { apiKey } = await customerWith(0);
  const id = await service({ name: "Before" });
  const headers = { Authorization: `Bearer ${apiKey}` };
  const first = await SELF.fetch(`${SITE}/api/services`, { headers });
  const tag = first.headers.get("ETag") ?? "";
  await first.body?.cancel();
  const again = () => SELF.fetch(`${SITE}/api/services`, { headers: { ...headers, "If-None-Match": tag } });
  const unchanged = await again();
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
  expect(unchanged.headers.get("Cache-Control")).toBe("private, no-cache");
  expect(unchanged.headers.get("RateLimit")).toBeTruthy();
  await db.update(services).set({ name: "After" }).where(eq(services.id, id));
  const changed = await again();
  expect(changed.status).toBe(200);
  expect(await changed.text()).toContain("After");
  const refused = await SELF.fetch(`${SITE}/api/services`, {
    headers: { Authorization: "Bearer x", "If-None-Match": tag },
  });
  expect(refused.status).toBe(401);
});
