import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { assignTier, readAssignedTier } from "#app/console/customers/tiers/assign-tier.server.ts";
import { changeOwnRates, changeTier, deleteTier, readTier } from "#app/console/customers/tiers/tier-admin.server.ts";
import { createTier } from "#app/console/stores/tier-store.server.ts";
import { apiKeys, type Order, orders, services, wallets } from "#app/db/schema.server.ts";
import { order as placeByV1, runPanelAction } from "#app/orders/api/panel-actions.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { checkMassOrder } from "#app/orders/mass/check-mass-order.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";

// Orders while tiers, assignments and rates change, against arithmetic of its own. `TIER_ORDERS=100000 npx vitest run
// app/orders/tier-agreement.test.ts` places more.

const SINGLE = atScale(60, 2000);
const IN_ALL = Number(env.TIER_ORDERS) || atScale(160, 6000);
const MASS_LINES = atScale(80, 1000);
/** Single orders between two changes. */
const BETWEEN_CHANGES = atScale(5, 10);
const CUSTOMERS = 12;
const START = 10 ** 12;
const LINK = "https://example.com/p/1";

const actor = { userId: "admin-of-tiers", name: "Ada" };
const agreed = { toLoss: true };

/** A tier as the oracle knows it. `percent` in basis points; null: fixed, with `rates`. */
type Known = { id: number; name: string; percent: bigint | null; rates: Map<number, bigint> };
type Sold = { id: number; rate: bigint; perOrder: boolean };
type Expected = { charge: bigint; discount: bigint; rule: { kind: "tier"; id: number; name: string } | null };

test(
  "charges every order by the tier in force, to the micro-unit, while tiers change, as an oracle of its own does",
  async () => {
    const random = seededRandom(23);
    const world = await makeWorld(random);
    const { users, sold, tiers, assigned, catalogs } = world;
    const expected = new Map<number, Expected & { userId: string }>();
    const note = (order: Pick<Order, "id">, userId: string, price: Expected) =>
      expected.set(order.id, { ...price, userId });

    for (let n = 0; n < SINGLE; n++) {
      if (n % BETWEEN_CHANGES === 0) await change(world, random);
      const userId = random.pick(users);
      const one = random.pick(sold);
      const quantity = one.perOrder ? 1 : 1 + random.upTo(20_000);
      const price = priceOf(one, assigned.get(userId) ?? null, BigInt(quantity));
      const fields = { link: LINK, ...(!one.perOrder && { quantity: String(quantity) }) };
      // Isolates that remember other versions of the catalog and other customers' tiers.
      const catalog = random.pick(catalogs);
      const caller = { userId, keyId: world.keyOf.get(userId) ?? "", scopes: ["order" as const], isTest: false };
      const gate = { caller, key: { digest: "", hasUnsettled: false } };
      const request = {
        ok: true as const,
        key: null,
        fields: { ...fields, service: String(one.id) },
        idempotencyKey: null,
        hangUp: new AbortController().signal,
      };
      const way = n % 3;
      if (way === 0) {
        // No more than what the customer was shown.
        const input = {
          serviceId: one.id,
          fields,
          idempotencyKey: null,
          source: "web",
          maxCharge: () => Number(price.charge),
        } as const;
        const placed = await placeOrder(db, userId, input, catalog);
        if (!placed.ok) throw new Error(placed.fault.reason);
        note(placed.order, userId, price);
      } else if (way === 1) {
        const placed = await placeByV1({ db, env, catalog, waitUntil: () => {} }, gate, request as never);
        if (!placed.ok) throw new Error(placed.text);
        note(placed.order, userId, price);
      } else {
        const placed = await runPanelAction(
          { db, env, catalog, waitUntil: () => {} } as never,
          gate,
          "add",
          request as never,
        );
        if (!placed.ok || !placed.placed) throw new Error("not placed");
        note(placed.placed, userId, price);
      }
    }

    for (let n = SINGLE; n < IN_ALL; n += MASS_LINES) {
      await change(world, random);
      const userId = random.pick(users);
      const before = await newestOrder();
      const lines = Array.from({ length: Math.min(MASS_LINES, IN_ALL - n) }, () => {
        const one = random.pick(sold.filter(({ perOrder }) => !perOrder));
        return { one, quantity: 1 + random.upTo(20_000) };
      });
      const text = lines
        .map(({ one, quantity }, at) => `${one.id} | https://example.com/m/${n + at} | ${quantity}`)
        .join("\n");
      const checked = await checkMassOrder(db, userId, text);
      if (!checked.ok) throw new Error(checked.text);
      const prices = lines.map(({ one, quantity }) => priceOf(one, assigned.get(userId) ?? null, BigInt(quantity)));
      expect(BigInt(checked.charge)).toBe(prices.reduce((sum, { charge }) => sum + charge, 0n));
      const input = {
        text,
        source: "web",
        idempotencyKey: `mass-${n}`,
        onlyValid: false,
        agreedCharge: checked.charge,
      };
      const placed = await placeMassOrder(db, userId, { ...input, agreedDoubts: checked.doubtful });
      if (!placed.ok) throw new Error(placed.text);
      for (const [at, price] of prices.entries()) note({ id: before + 1 + at }, userId, price);
    }

    const balances = new Map(users.map((userId) => [userId, BigInt(START)]));
    let toClose = atScale(30, 300);
    let named = 0;
    for (const stored of await readAll(users)) {
      const price = expected.get(stored.id);
      if (!price) throw new Error(`order ${stored.id} is not known`);
      expect(price.userId).toBe(stored.userId);
      expect([BigInt(stored.charge), BigInt(stored.discount)], `order ${stored.id}`).toEqual([
        price.charge,
        price.discount,
      ]);
      if (price.rule) named++;
      if (price.rule) expect(stored.priceRule).toMatchObject(price.rule);
      else expect(stored.priceRule).toBeNull();
      let left = (balances.get(stored.userId) ?? 0n) - price.charge;
      if (price.rule && toClose-- > 0) {
        // What was not delivered is refunded, as a part of what was charged and not of the usual price.
        const total = stored.quantity * stored.runs;
        const remains = random.upTo(total + 1);
        const status = remains === total ? "Canceled" : remains === 0 ? "Completed" : "Partial";
        expect(await closeOrder(db, env, stored, { status, remains, startCount: 0 })).toBe(true);
        left += (price.charge * BigInt(remains)) / BigInt(total);
      }
      balances.set(stored.userId, left);
    }
    expect(named).toBeGreaterThan(IN_ALL / 10);
    expect(tiers.size).toBeGreaterThan(0);
    const found = await db.select().from(wallets).where(inArray(wallets.userId, users));
    for (const { userId, balance } of found) expect(BigInt(balance)).toBe(balances.get(userId));
    expect(await checkLedger(db)).toEqual([]);
  },
  30 * 60_000,
);

type World = Awaited<ReturnType<typeof makeWorld>>;

async function makeWorld(random: Random) {
  const users: string[] = [];
  const keyOf = new Map<string, string>();
  for (let n = 0; n < CUSTOMERS; n++) {
    const { userId } = await customerWith(0);
    await credit(db, userId, { kind: "topup", amount: START, note: "" });
    const [key] = await db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.userId, userId));
    keyOf.set(userId, key?.id ?? "");
    users.push(userId);
  }
  const sold: Sold[] = [];
  for (const rate of [1, 7, 999, 900_007, 12_345_678]) {
    const id = await service({ rate, min: 1, max: 100_000, linkCheck: "off" });
    sold.push({ id, rate: BigInt(rate), perOrder: false });
  }
  const id = await service({ rate: 24_000_001, type: "Package", min: 1, max: 1, linkCheck: "off" });
  sold.push({ id, rate: 24_000_001n, perOrder: true });
  const tiers = new Map<number, Known>();
  const world = {
    ...{ users, keyOf, sold, tiers },
    assigned: new Map<string, Known>(),
    catalogs: [new CatalogCache(), new CatalogCache(), new CatalogCache()],
    names: 0,
  };
  for (let n = 0; n < 6; n++) await addTier(world, random);
  for (const userId of users) {
    const tier = random.pick([...tiers.values()]);
    expect(await assignTier(db, actor, userId, tier.id, 0)).toEqual({ ok: true, changed: true });
    world.assigned.set(userId, tier);
  }
  return world;
}

async function addTier(world: Pick<World, "tiers" | "names">, random: Random): Promise<void> {
  const name = `Tier ${++world.names}`;
  const isFixed = random.chance(0.4);
  const basisPoints = isFixed ? 0 : random.upTo(9001);
  const terms = { name, kind: isFixed ? ("fixed" as const) : ("percent" as const), basisPoints };
  const created = await createTier(db, actor, terms, crypto.randomUUID());
  if (!created.ok) throw new Error(created.reason);
  world.tiers.set(created.tierId, {
    id: created.tierId,
    name,
    percent: isFixed ? null : BigInt(basisPoints),
    rates: new Map(),
  });
}

/** Changes something that prices depend on, in the product and in the oracle. */
async function change(world: World, random: Random): Promise<void> {
  const { tiers, assigned, sold, users } = world;
  const tier = random.pick([...tiers.values()]);
  const versionOf = async () => (await readTier(db, tier.id))?.tier.version ?? 0;
  const what = random.upTo(10);
  if (what < 4) {
    const userId = random.pick(users);
    const next = random.chance(0.15) ? null : tier;
    const { version = 0 } = (await readAssignedTier(db, userId)) ?? {};
    expect(await assignTier(db, actor, userId, next?.id ?? null, version)).toMatchObject({ ok: true });
    if (next) assigned.set(userId, next);
    else assigned.delete(userId);
  } else if (what < 6) {
    const basisPoints = random.upTo(9001);
    const terms = { name: tier.name, basisPoints };
    expect(await changeTier(db, actor, tier.id, terms, await versionOf(), agreed)).toMatchObject({ ok: true });
    if (tier.percent !== null) tier.percent = BigInt(basisPoints);
  } else if (what < 8 && tier.percent === null) {
    const rates = sold.slice(0, 3).map(({ id, rate }) => ({
      serviceId: id,
      rate: random.chance(0.2) ? null : random.upTo(Number(rate) + 2),
    }));
    expect(await changeOwnRates(db, actor, tier.id, rates, await versionOf(), agreed)).toMatchObject({ ok: true });
    for (const { serviceId, rate } of rates) {
      if (rate === null) tier.rates.delete(serviceId);
      else tier.rates.set(serviceId, BigInt(rate));
    }
  } else if (what === 8) {
    const one = random.pick(sold);
    one.rate = BigInt(1 + random.upTo(2 * Number(one.rate) + 10));
    await db
      .update(services)
      .set({ rate: Number(one.rate) })
      .where(eq(services.id, one.id));
  } else if (tiers.size > 3) {
    expect(await deleteTier(db, actor, tier.id, await versionOf())).toEqual({ ok: true });
    tiers.delete(tier.id);
    for (const [userId, one] of assigned) if (one === tier) assigned.delete(userId);
    await addTier(world, random);
  }
}

function priceOf({ id, rate, perOrder }: Sold, tier: Known | null, pieces: bigint): Expected {
  const chargeBy = (by: bigint) => (perOrder ? by * pieces : ceil(by * pieces, 1000n));
  const usual = chargeBy(rate);
  const own = tier?.rates.get(id);
  const lowered =
    tier === null ? rate : tier.percent === null ? (own ?? rate) : ceil(rate * (10_000n - tier.percent), 10_000n);
  if (tier === null || lowered >= rate) return { charge: usual, discount: 0n, rule: null };
  const charge = chargeBy(lowered);
  return { charge, discount: usual - charge, rule: { kind: "tier", id: tier.id, name: tier.name } };
}

function ceil(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

async function newestOrder(): Promise<number> {
  const [row] = await db.all<{ id: number | null }>("select max(id) as id from orders");
  return row?.id ?? 0;
}

async function readAll(users: string[]): Promise<Order[]> {
  const all: Order[] = [];
  for (const userId of users) all.push(...(await db.select().from(orders).where(eq(orders.userId, userId))));
  return all;
}
