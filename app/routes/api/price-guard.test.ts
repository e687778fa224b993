import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { orders, services } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const LINK = "https://instagram.com/p/1";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("places no order from a page whose price is out of date, names both prices, and places it on the next click", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 100 * MICRO, note: "test" });
  const serviceId = await service({ rate: MICRO });
  const page = await (
    await SELF.fetch(`${SITE}/dashboard?service=${serviceId}`, { headers: { Cookie: cookie } })
  ).text();
  await setRate(serviceId, 77 * MICRO);
  const refused = await submit(cookie, hiddenFields(page));
  expect(refused.status).toBe(400);
  const shown = await refused.text();
  expect(shown).toContain("changed from $1.00 to $77.00. Nothing was charged.");
  expect(await readBalance(db, userId)).toBe(100 * MICRO);
  expect(await placed(userId)).toEqual([]);
  expect((await submit(cookie, hiddenFields(shown))).status).toBe(200);
  expect(await placed(userId)).toEqual([77 * MICRO]);
});

test("charges the lower price if a price fell since the page was shown", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const serviceId = await service({ rate: 2 * MICRO });
  const page = await (
    await SELF.fetch(`${SITE}/dashboard?service=${serviceId}`, { headers: { Cookie: cookie } })
  ).text();
  await setRate(serviceId, MICRO);
  expect((await submit(cookie, hiddenFields(page))).status).toBe(200);
  expect(await placed(userId)).toEqual([MICRO]);
});

test("places nothing from a form that names no price, or none that can be read", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const service_ = String(await service());
  for (const shownPrice of [undefined, "", "1000000", "-1 per 1000", "9e9 per 1000", "1 per piece"]) {
    const response = await submit(cookie, { service: service_, ...(shownPrice !== undefined && { shownPrice }) });
    expect(response.status, shownPrice).toBe(400);
    expect(await response.text()).toContain("Nothing was charged");
  }
  expect(await placed(userId)).toEqual([]);
});

test("charges no order by the price per order of what was sold per 1,000", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const serviceId = await service({ rate: MICRO });
  const page = await (
    await SELF.fetch(`${SITE}/dashboard?service=${serviceId}`, { headers: { Cookie: cookie } })
  ).text();
  await db.update(services).set({ type: "Package" }).where(eq(services.id, serviceId));
  expect((await submit(cookie, { ...hiddenFields(page), quantity: "100" })).status).toBe(400);
  expect(await placed(userId)).toEqual([]);
});

test("places no order whose price rises between the check and the insert", async () => {
  const { userId } = await customerWith(100 * MICRO);
  const serviceId = await service({ rate: MICRO });
  const catalog = new CatalogCache();
  await catalog.terms(db, serviceId, userId);
  const input = {
    serviceId,
    fields: { link: LINK, quantity: "1000" },
    idempotencyKey: null,
    source: "api",
    // Called after the terms are read and before the order is written: another isolate changes the price.
    maxCharge: () => MICRO,
  } as const;
  await setRate(serviceId, 77 * MICRO);
  expect(await placeOrder(db, userId, input, catalog)).toEqual({
    ok: false,
    fault: { reason: "charge_above_max", charge: 77 * MICRO, max: MICRO },
  });
  expect(await readBalance(db, userId)).toBe(100 * MICRO);
});

test("charges none of many orders more than it allows while the price changes all the time", async () => {
  const { userId } = await customerWith(1000 * MICRO);
  const serviceId = await service({ rate: MICRO });
  const catalog = new CatalogCache();
  const input = { serviceId, fields: { link: LINK, quantity: "1000" }, idempotencyKey: null, source: "api" } as const;
  const work = Array.from({ length: 30 }, (_, n) =>
    n % 3 === 0
      ? setRate(serviceId, (n % 2 === 0 ? 1 : 5) * MICRO)
      : placeOrder(db, userId, { ...input, maxCharge: () => 2 * MICRO }, catalog).catch(() => null),
  );
  await Promise.all(work);
  expect((await placed(userId)).filter((charge) => charge > 2 * MICRO)).toEqual([]);
});

const ROUTES: [name: string, path: string, extra: object, refused: number][] = [
  ["API v1", "/api/v1/create_order", {}, 422],
  ["the panel API", "/api/v2", { action: "add" }, 200],
  ["the route of one order", "/api/order", {}, 422],
];

for (const [name, path, extra, status] of ROUTES) {
  test(`places no order above max_charge at ${name}, and one that costs just that much`, async () => {
    const { userId, apiKey } = await customerWith(10 * MICRO);
    const order = { ...extra, service: await service({ rate: MICRO }), link: LINK, quantity: 1000 };
    const refused = await post(apiKey, path, { ...order, max_charge: "0.999999" });
    expect(refused.status).toBe(status);
    expect(JSON.stringify(await refused.json())).toContain("Charge 1.00 more than max_charge 0.999999");
    for (const max_charge of ["", "-1", "abc", "1e3", "1.1234567", [], {}, true, "9999999999"]) {
      const response = await post(apiKey, path, { ...order, max_charge });
      expect(response.status, JSON.stringify(max_charge)).toBe(status);
      expect(JSON.stringify(await response.json())).toContain("max_charge must be a decimal such as 0.90");
    }
    expect(await placed(userId)).toEqual([]);
    expect((await post(apiKey, path, { ...order, max_charge: 1 })).ok).toBe(true);
    expect((await post(apiKey, path, { ...order, max_charge: "1.50" })).ok).toBe(true);
    expect(await placed(userId)).toEqual([MICRO, MICRO]);
  });
}

test("refuses max_charge of test orders as of live ones", async () => {
  const { userId } = await customerWith(0);
  const { key } = await newKey(userId, { name: "test", scopes: ["read", "order"], isTest: true });
  const order = { service: await service({ rate: MICRO }), link: LINK, quantity: 1000 };
  expect((await post(key, "/api/v1/create_order", { ...order, max_charge: 0.5 })).status).toBe(422);
  expect((await post(key, "/api/v1/create_order", { ...order, max_charge: 1 })).status).toBe(201);
});

test("returns the first order for a repeated key, whatever its max_charge and today's price", async () => {
  const { userId, apiKey } = await customerWith(100 * MICRO);
  const serviceId = await service({ rate: MICRO });
  const order = { service: serviceId, link: LINK, quantity: 1000 };
  const send = (max_charge: number) => post(apiKey, "/api/v1/create_order", { ...order, max_charge }, "the-key");
  expect((await send(0.5)).status).toBe(422);
  const first = await (await send(1)).json<{ id: number }>();
  await setRate(serviceId, 77 * MICRO);
  for (const max of [1, 0.5, 100]) {
    const again = await send(max);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await again.json()).toEqual(first);
  }
  expect(await placed(userId)).toEqual([MICRO]);
});

/** Returns the hidden fields of the order form on a page. */
function hiddenFields(page: string): Record<string, string> {
  const form = page.slice(page.indexOf('aria-label="New order"'));
  const inputs = form.slice(0, form.indexOf("</form>")).match(/<input type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(
    inputs.map((input) => [/name="([^"]*)"/.exec(input)?.[1] ?? "", /value="([^"]*)"/.exec(input)?.[1] ?? ""]),
  );
}

function submit(cookie: string, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ intent: "order", link: LINK, quantity: "1000", ...fields });
  return SELF.fetch(`${SITE}/dashboard`, { method: "POST", headers: { ...SAME_SITE, Cookie: cookie }, body });
}

function post(key: string, path: string, body: object, idempotencyKey?: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return SELF.fetch(SITE + path, {
    method: "POST",
    headers: { ...headers, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
    body: JSON.stringify(body),
  });
}

async function setRate(serviceId: number, rate: number): Promise<void> {
  await db.update(services).set({ rate }).where(eq(services.id, serviceId));
}

/** Returns the charges of the user's orders. */
async function placed(userId: string): Promise<number[]> {
  const rows = await db.select({ charge: orders.charge }).from(orders).where(eq(orders.userId, userId));
  return rows.map(({ charge }) => charge);
}
