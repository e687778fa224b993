import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { assignTier } from "#app/console/customers/tiers/assign-tier.server.ts";
import percentCodeStore, {
  createPercentCode,
  type NewPercentCode,
} from "#app/console/stores/percent-code-store.server.ts";
import { createTier } from "#app/console/stores/tier-store.server.ts";
import { type Order, orders, percentCodes, percentCodeUses, services, tiers, wallets } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const LINK = "https://instagram.com/p/1";
const actor = { userId: "admin-of-codes", name: "Ada" };

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("takes a code off an order, names it, and counts its use", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const { id, code } = await newCode({ percent: 1250, perCustomer: 2, uses: 5 });
  const placed = await place(userId, await service(), code.toLowerCase().replaceAll("-", " "));
  const rule = { kind: "code", id, name: "Spring", basisPoints: 1250 };
  expect(placed).toMatchObject({ ok: true, order: { charge: 787_500, discount: 112_500, priceRule: rule } });
  expect(await usesOf(id)).toEqual({ left: 4, used: 1 });
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 787_500);
});

test("gives a code with ten uses to exactly ten of many orders at once, and charges the others nothing", async () => {
  const { id, code } = await newCode({ uses: 10 });
  const serviceId = await service();
  const many = atScale(20, 50);
  const customers = await Promise.all(Array.from({ length: many }, () => customerWith(MICRO)));
  const catalog = new CatalogCache();
  const placed = await Promise.all(customers.map(({ userId }) => place(userId, serviceId, code, { catalog })));
  expect(placed.filter(({ ok }) => ok)).toHaveLength(10);
  for (const result of placed) {
    if (result.ok) expect(result.order).toMatchObject({ charge: 810_000, priceRule: { kind: "code", id } });
    else expect(result.fault).toMatchObject({ field: "code", text: "This code is used up." });
  }
  const balances = await Promise.all(customers.map(({ userId }) => readBalance(db, userId)));
  expect(balances.filter((balance) => balance === MICRO)).toHaveLength(many - 10);
  expect(await usesOf(id)).toEqual({ left: 0, used: 10 });
});

test("lets one customer use a code no more often than it allows, however many orders come at once", async () => {
  const { id, code } = await newCode({ uses: 100, perCustomer: 3 });
  const { userId } = await customerWith(100 * MICRO);
  const serviceId = await service();
  const placed = await Promise.all(Array.from({ length: 20 }, () => place(userId, serviceId, code)));
  expect(placed.filter(({ ok }) => ok)).toHaveLength(3);
  expect(await usesOf(id)).toEqual({ left: 97, used: 3 });
});

test("returns the first order for a repeated key, also at once and after the code is used up", async () => {
  const { id, code } = await newCode({ uses: 1 });
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const sent = await Promise.all(Array.from({ length: 10 }, () => place(userId, serviceId, code, { key: "k" })));
  expect(sent.every(({ ok }) => ok)).toBe(true);
  expect(new Set(sent.map((one) => (one.ok ? one.order.id : 0))).size).toBe(1);
  await disable(id);
  expect(await place(userId, serviceId, code, { key: "k" })).toMatchObject({ ok: true, replayed: true });
  expect(await usesOf(id)).toEqual({ left: 0, used: 1 });
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 810_000);
});

test("keeps the code where the customer's tier takes as much off, and uses it where it takes more", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const tier = { name: "Gold", kind: "percent" as const, basisPoints: 1500 };
  const created = await createTier(db, actor, tier, crypto.randomUUID());
  await assignTier(db, actor, userId, created.ok ? created.tierId : 0, 0);
  const serviceId = await service();
  const [small, large] = [await newCode({ percent: 1500 }), await newCode({ percent: 2000 })];
  const byTier = await place(userId, serviceId, small.code);
  expect(byTier).toMatchObject({ ok: true, order: { charge: 765_000, priceRule: { kind: "tier", name: "Gold" } } });
  expect(await usesOf(small.id)).toMatchObject({ used: 0 });
  const byCode = await place(userId, serviceId, large.code);
  expect(byCode).toMatchObject({ ok: true, order: { charge: 720_000, priceRule: { kind: "code" } } });
  expect(await usesOf(large.id)).toMatchObject({ used: 1 });
  await db.update(wallets).set({ tierId: null });
  await db.delete(tiers);
});

test("says why a code doesn't count, and charges nothing", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service({ network: "Instagram" });
  const now = Date.now();
  const disabled = await newCode({});
  await disable(disabled.id);
  const cases: [string, string][] = [
    ["NO-SUCH-CODE", "We don't recognize this code. Check each character."],
    [disabled.code, "This code was disabled."],
    [(await newCode({ starts: now + DAY_MS })).code, "This code can't be used yet."],
    [(await newCode({ starts: now - 2 * DAY_MS, ends: now - DAY_MS })).code, "This code has expired."],
    [(await newCode({ network: "TikTok" })).code, "This code is for TikTok only."],
    [(await newCode({ minCharge: MICRO })).code, "This code is for orders from $1.00."],
  ];
  for (const [code, text] of cases) {
    const refused = await place(userId, serviceId, code);
    expect(refused, text).toEqual({ ok: false, fault: { reason: "invalid_field", field: "code", text } });
  }
  expect(await readBalance(db, userId)).toBe(10 * MICRO);
  const limited = await newCode({ percent: 9000, maxDiscount: 100_000, minCharge: 900_000, network: "Instagram" });
  expect(await place(userId, serviceId, limited.code)).toMatchObject({ ok: true, order: { charge: 800_000 } });
});

test("refunds a part of what was charged, and not of the usual price", async () => {
  const { userId } = await customerWith(MICRO);
  const { code } = await newCode({ percent: 3333 });
  const placed = await place(userId, await service(), code);
  if (!placed.ok) throw new Error(placed.fault.reason);
  expect(placed.order.charge).toBe(600_030);
  await closeOrder(db, env, placed.order, { status: "Partial", remains: 333, startCount: 0 });
  const [closed] = await db.select().from(orders).where(eq(orders.id, placed.order.id));
  // 600,030 × 333 / 1,000, rounded down.
  expect(closed).toMatchObject({ refunded: 199_809, charge: 600_030, discount: 299_970 } satisfies Partial<Order>);
});

test("takes a code from the order form, tells what it takes off before, and limits guesses", async () => {
  const customer = await signedIn();
  await credit(db, customer.userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const serviceId = await service({ rate: MICRO });
  const { code } = await newCode({ percent: 2500 });
  const check = async (written: string) => {
    const body = new URLSearchParams({ code: written });
    const headers = { ...SAME_SITE, Cookie: customer.cookie };
    return (await SELF.fetch(`${SITE}/dashboard/percent-code`, { method: "POST", headers, body })).json();
  };
  const terms = { name: "Spring", basisPoints: 2500, maxDiscount: null, minCharge: 0, network: null };
  expect(await check(code)).toEqual({ ok: true, code: terms });
  const order = { intent: "order", service: String(serviceId), link: LINK, quantity: "1000" };
  const send = async (fields: Record<string, string>) => {
    const response = await SELF.fetch(`${SITE}/dashboard?index`, {
      method: "POST",
      headers: { ...SAME_SITE, Cookie: customer.cookie },
      body: new URLSearchParams({ ...order, shownPrice: "1000000 per 1000", ...fields }),
    });
    return { status: response.status, html: await response.text() };
  };
  const refused = await send({ code: "WRONG-CODE", idempotencyKey: "web-1" });
  expect(refused.status).toBe(400);
  // The apostrophe is escaped.
  expect(refused.html).toContain("recognize this code");
  const placed = await send({ code, idempotencyKey: "web-1" });
  expect(placed.html).toContain("Spring<!-- -->: ");
  expect(placed.html).toContain("25% off");
  expect(await readBalance(db, customer.userId)).toBe(10 * MICRO - 750_000);
  for (let n = 0; n < 30; n++) await check("WRONG-CODE");
  expect(await check(code)).toMatchObject({ ok: false, text: expect.stringContaining("Too many attempts") });
});

test("takes the code along to the top-up page, sealed for its customer, and places the order with it", async () => {
  const [customer, other] = [await signedIn(), await signedIn()];
  const serviceId = await service({ rate: MICRO });
  const { id, code } = await newCode({ percent: 2500 });
  const send = (path: string, fields: Record<string, string>, { cookie } = customer) =>
    SELF.fetch(SITE + path, {
      method: "POST",
      redirect: "manual",
      headers: { ...SAME_SITE, Cookie: cookie },
      body: new URLSearchParams({ intent: "order", ...fields }),
    });
  const get = async (path: string, { cookie } = customer) =>
    (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
  const order = { service: String(serviceId), link: LINK, quantity: "1000", shownPrice: "1000000 per 1000" };
  const sent = await send("/dashboard?index", { ...order, code, idempotencyKey: "web-1" });
  const path = sent.headers.get("Location") ?? "";
  expect(path).toMatch(/^\/dashboard\/top-up\?service=.*&sealed=/);
  expect(path).not.toContain(code);
  expect(await get(path)).toMatch(/You need .*\$0\.75.* more/);
  // It is nobody else's code, and a changed one is none.
  expect(await get(path, other)).toMatch(/You need .*\$1\.00.* more/);
  expect(await get(path.replace("sealed=", "sealed=x"))).toMatch(/You need .*\$1\.00.* more/);
  // On the way back the form has it, with what it takes off.
  const form = await get(path.replace("/dashboard/top-up", "/dashboard"));
  expect(form).toContain(`value="${code}"`);
  expect(form).toContain("25% off");
  await credit(db, customer.userId, { kind: "topup", amount: MICRO, note: "test" });
  const placed = await send(path, { charge: "750000", idempotencyKey: "web-2", again: "" });
  expect(placed.headers.get("Location")).toMatch(/^\/dashboard\?placed=\d+$/);
  expect(await readBalance(db, customer.userId)).toBe(250_000);
  expect(await usesOf(id)).toMatchObject({ used: 1 });
  // A code that is gone by then is named, and the order is offered without it.
  expect(await get(path)).toContain("You already used this code.");
});

test("places nothing without the percentage that the form showed, whatever ended its code, and charges nothing", async () => {
  const customer = await signedIn();
  await credit(db, customer.userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const serviceId = await service({ rate: MICRO });
  const order = { intent: "order", service: String(serviceId), quantity: "1000", shownPrice: "1000000 per 1000" };
  const send = async (path: string, fields: Record<string, string>) => {
    const response = await SELF.fetch(SITE + path, {
      method: "POST",
      redirect: "manual",
      headers: { ...SAME_SITE, Cookie: customer.cookie },
      body: new URLSearchParams({ ...order, ...fields }),
    });
    return { status: response.status, path: response.headers.get("Location"), html: await response.text() };
  };
  const expire = (id: number) =>
    db
      .update(percentCodes)
      .set({ endsAt: sql`${percentCodes.startsAt} + 1` })
      .where(eq(percentCodes.id, id));
  const endings: [string, (id: number) => Promise<unknown>][] = [
    ["This code was disabled.", (id) => disable(id)],
    ["This code has expired.", expire],
    ["This code is used up.", (id) => db.update(percentCodes).set({ usesLeft: 0 }).where(eq(percentCodes.id, id))],
  ];
  for (const [text, end] of endings) {
    const { id, code } = await newCode({ percent: 2500 });
    await end(id);
    const refused = await send("/dashboard?index", { code, link: LINK, idempotencyKey: `web-${id}` });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(`${text} Nothing was charged. To order without it, remove the code`);
    expect(refused.html).not.toContain("25% off");

    // The order that was on its way to the top-up page says so too, with the charge without the code.
    const carried = await newCode({ percent: 2500 });
    const link = `https://instagram.com/p/${id}`;
    await db.update(wallets).set({ balance: 0 }).where(eq(wallets.userId, customer.userId));
    const sent = await send("/dashboard?index", { code: carried.code, link, idempotencyKey: `web-t${id}` });
    await db
      .update(wallets)
      .set({ balance: 10 * MICRO })
      .where(eq(wallets.userId, customer.userId));
    await end(carried.id);
    const again = { charge: "750000", idempotencyKey: `web-u${id}`, again: "" };
    const late = await send(sent.path ?? "", again);
    expect(late.html).toContain("The price has changed, so nothing was ordered.");
    expect(late.html).toContain(text);
    expect(late.html).toContain("Place order · $1.00");
  }
  expect(await readBalance(db, customer.userId)).toBe(10 * MICRO);
  expect(await db.$count(orders, eq(orders.userId, customer.userId))).toBe(0);
});

test.each([
  { tier: false, shownPrice: "1000000 per 1000", from: "$0.75", to: "$0.975" },
  { tier: true, shownPrice: "900000 of 1000000 per 1000", from: "$0.75", to: "$0.975" },
])("charges no more with a code than the shown price gives with it (tier: $tier)", async ({ tier, ...shown }) => {
  const customer = await signedIn();
  await credit(db, customer.userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  if (tier) {
    const created = await createTier(
      db,
      actor,
      { name: "Gold", kind: "percent", basisPoints: 1000 },
      crypto.randomUUID(),
    );
    await assignTier(db, actor, customer.userId, created.ok ? created.tierId : 0, 0);
  }
  const serviceId = await service({ rate: MICRO });
  const page = await SELF.fetch(`${SITE}/dashboard?service=${serviceId}`, { headers: { Cookie: customer.cookie } });
  expect(await page.text()).toContain(`name="shownPrice" value="${shown.shownPrice}"`);
  const { id, code } = await newCode({ percent: 2500 });
  const send = async (shownPrice: string, n: number) => {
    const order = {
      intent: "order",
      service: String(serviceId),
      link: `${LINK}${n}`,
      quantity: "1000",
      shownPrice,
      code,
    };
    const response = await SELF.fetch(`${SITE}/dashboard?index`, {
      method: "POST",
      headers: { ...SAME_SITE, Cookie: customer.cookie },
      body: new URLSearchParams({ ...order, idempotencyKey: `web-${n}` }),
    });
    return response.text();
  };
  await db
    .update(services)
    .set({ rate: 1.3 * MICRO })
    .where(eq(services.id, serviceId));
  expect(await send(shown.shownPrice, 1)).toContain(`changed from ${shown.from} to ${shown.to}. Nothing was charged.`);
  expect(await readBalance(db, customer.userId)).toBe(10 * MICRO);
  expect(await usesOf(id)).toMatchObject({ used: 0 });
  await db.update(services).set({ rate: MICRO }).where(eq(services.id, serviceId));
  expect(await send(shown.shownPrice, 2)).toContain("25% off");
  expect(await readBalance(db, customer.userId)).toBe(10 * MICRO - 750_000);
  await db.update(wallets).set({ tierId: null });
  await db.delete(tiers);
});

test("creates a code for admins alone, shows it once, and disables it", async () => {
  const [admin, agent] = [await signedIn("admin"), await signedIn("agent")];
  const post = async ({ cookie }: { cookie: string }, fields: Record<string, string>) => {
    const response = await SELF.fetch(`${SITE}/admin/percent-codes`, {
      method: "POST",
      headers: { ...SAME_SITE, Cookie: cookie },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, html: await response.text() };
  };
  const once = crypto.randomUUID();
  const days = { starts: "", ends: "" };
  const limits = { maxDiscount: "5", minCharge: "", uses: "100", perCustomer: "1", network: "", ...days };
  const fields = { intent: "save", name: "Autumn", code: "AUTUMN-26", percent: "15", ...limits, once };
  expect((await post(agent, fields)).status).toBe(404);
  const created = await post(admin, fields);
  expect(created.html).toContain("AUTUMN26");
  expect((await post(admin, fields)).status).toBe(409);
  expect((await post(admin, { ...fields, code: "autumn 26", once: crypto.randomUUID() })).status).toBe(409);
  expect((await post(admin, { ...fields, code: "AUT", once: crypto.randomUUID() })).status).toBe(400);
  expect((await post(admin, { ...fields, percent: "95", code: "OTHER-CODE", once: crypto.randomUUID() })).status).toBe(
    400,
  );
  const [stored] = await db.select().from(percentCodes).where(eq(percentCodes.name, "Autumn"));
  expect(stored).toMatchObject({ basisPoints: 1500, maxDiscount: 5 * MICRO, usesLeft: 100, ending: "MN26" });
  const random = await post(admin, { ...fields, code: "", name: "Random", once: crypto.randomUUID() });
  expect(random.html).toMatch(/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/);
  await post(admin, { intent: "disable", id: String(stored?.id) });
  const { userId } = await customerWith(MICRO);
  expect(await place(userId, await service(), "AUTUMN-26")).toMatchObject({
    ok: false,
    fault: { text: "This code was disabled." },
  });
});

async function disable(id: number) {
  return percentCodeStore.actions.disable?.(db, actor, { id, version: 0 });
}

async function newCode(terms: Partial<NewPercentCode>): Promise<{ id: number; code: string }> {
  const usual = { code: "", name: "Spring", percent: 1000, maxDiscount: null, minCharge: null, uses: 100 };
  const limits = { perCustomer: 1, starts: Date.now() - 1000, ends: null, network: "" };
  const created = await createPercentCode(db, actor, { ...usual, ...limits, ...terms }, crypto.randomUUID());
  if (!created.ok) throw new Error(created.reason);
  const [{ id = 0 } = {}] = await db.all<{ id: number }>("select max(id) as id from percent_codes");
  return { id, code: created.created?.code ?? "" };
}

async function usesOf(codeId: number): Promise<{ left: number; used: number }> {
  const [code] = await db.select().from(percentCodes).where(eq(percentCodes.id, codeId));
  const used = await db.select().from(percentCodeUses).where(eq(percentCodeUses.codeId, codeId));
  return { left: code?.usesLeft ?? -1, used: used.length };
}

function place(
  userId: string,
  serviceId: number,
  code: string,
  { key = null, catalog = new CatalogCache() }: { key?: string | null; catalog?: CatalogCache } = {},
) {
  const fields = { link: LINK, quantity: "1000" };
  const input = { serviceId, fields, idempotencyKey: key, source: "web" as const, code };
  return placeOrder(db, userId, input, catalog);
}
