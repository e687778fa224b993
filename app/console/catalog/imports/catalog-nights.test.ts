import { env } from "cloudflare:workers";
import { and, eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { priceRules, providers, quarantine, services } from "#app/db/schema.server.ts";
import { importCatalog, previewImport } from "#app/orders/providers/catalog-import.server.ts";
import { syncCatalog } from "#app/orders/providers/catalog-sync.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { DECISIONS, decideWaiting, listWaiting } from "./quarantine-decisions.server.ts";

const SERVICES = 24;
const NIGHTS = atScale(8, 25);
/** The provider's limit. */
const LIMIT_PERCENT = 20n;
const RULES = {
  "": { margin: 3_500, roundTo: 10_000, minimum: 20_000 },
  Views: { margin: 6_000, roundTo: 1, minimum: 0 },
} as const;

/** A service there. `price` is what it asks in truth, in micro-units. */
type There = {
  id: string;
  category: keyof typeof RULES;
  price: number;
  min: number;
  max: number;
  type: "Default" | "Package";
  isListed: boolean;
  /** How the entry is broken tonight. */
  broken: "text" | "twice" | "huge" | null;
};
/** People's decisions about a service here, as the test remembers them. */
type Decided = { rate: number; cost: number; isOwnRate: boolean; isForSale: boolean };
type Row = typeof services.$inferSelect;

test.each(atScale(0, 1) ? [1, 7, 15, 21] : [7, 15])(
  "never sells below cost, moves a rate too far or drops one that staff set because of a night: seed %i",
  async (seed) => {
    const random = seededRandom(seed);
    const world = await openShop(random);
    const { there, decided } = world;
    /** The price of each service when it was last listed readably. */
    const lastPrice = new Map(there.map(({ id, price }) => [id, price]));
    let isPaused = 0;
    for (let night = 0; night < NIGHTS; night++) {
      const before = await ours(world.provider);
      drawNight(random, there);
      const listed = drawAnswer(random, there);
      offer(listed);
      const synced = await syncCatalog(db, env, world.provider);
      const after = await ours(world.provider);
      if (!synced.ok) {
        expect(listed.filter(({ broken }) => broken === null)).toEqual([]);
        expect(after).toEqual(before);
        continue;
      }
      const open = await openRows(world.provider);
      const readable = new Map(listed.filter(({ broken }) => broken === null).map((one) => [one.id, one]));
      for (const one of readable.values()) lastPrice.set(one.id, one.price);
      // Services that this answer puts back on sale count as sold, too.
      const sold = [...before].filter(([id, { enabled }]) => enabled || after.get(id)?.enabled);
      const missing = [...before.values()].filter(
        ({ enabled, keptWhileGone, providerServiceId: id }) =>
          enabled && !keptWhileGone && !listed.some((one) => one.id === id),
      );
      for (const row of after.values()) {
        const id = row.providerServiceId ?? "";
        const by = decided.get(id) as Decided;
        const offered = readable.get(id);
        const where = `seed ${seed}, night ${night}, service ${id}`;
        // Never below cost.
        if (row.enabled) expect(row.rate, where).toBeGreaterThanOrEqual(lastPrice.get(id) ?? 0);
        if (row.enabled && offered) expect(row.type === "Package", where).toBe(offered.type === "Package");
        // Never too far from what a person decided.
        expect(isWithin(by.rate, row.rate), `${where}: ${by.rate} became ${row.rate}`).toBe(true);
        if ((row.providerRate ?? 0) > by.cost) expect(isWithin(by.cost, row.providerRate ?? 0), where).toBe(true);
        if (by.isOwnRate) expect(row.rate, where).toBe(by.rate);
        // Off sale only by a person, or with a change that waits for one.
        if (row.enabled) expect(by.isForSale, where).toBe(true);
        if (!row.enabled && by.isForSale) expect(open.get(row.id)?.paused, where).toBe(true);
        if (!row.enabled && by.isForSale) isPaused++;
        if (
          !offered &&
          listed.every((one) => one.id !== id) &&
          before.get(id)?.enabled &&
          missing.length * 2 > sold.length &&
          missing.length > 3
        )
          expect(row.enabled, `${where}: taken off sale by a partial answer`).toBe(true);
      }
      // The same answer again changes nothing.
      expect(await syncCatalog(db, env, world.provider), `seed ${seed}, night ${night}`).toMatchObject({
        changed: 0,
        quarantined: 0,
        released: 0,
      });
      if (random.chance(0.5)) await decideSome(random, world, lastPrice);
      if (random.chance(0.3)) await setOwnRate(random, world, lastPrice);
    }
    // The draws reached what the test is about.
    expect(isPaused).toBeGreaterThan(0);
  },
);

async function openShop(random: Random) {
  const id = await sandboxProvider();
  await db
    .insert(priceRules)
    .values(Object.entries(RULES).map(([category, rule]) => ({ providerId: id, category, ...rule })));
  const [provider] = await db.select().from(providers).where(eq(providers.id, id));
  if (!provider) throw new Error("the provider was not stored");
  const there = Array.from(
    { length: SERVICES },
    (_, n): There => ({
      id: String(n + 1),
      category: n % 3 === 0 ? "Views" : "",
      price: 100_000 + random.upTo(5_000_000),
      min: 10,
      max: 10_000,
      type: "Default",
      isListed: true,
      broken: null,
    }),
  );
  offer(there);
  const { userId } = await customerWith(0);
  const actor = { userId, name: "Admin" };
  const preview = await previewImport(db, env, provider);
  if (!preview.ok) throw new Error(preview.reason);
  await importCatalog(db, env, provider, {
    actor,
    digest: preview.digest,
    ticked: new Set(there.map((one) => one.id)),
  });
  await db.update(services).set({ enabled: true }).where(eq(services.providerId, id));
  const decided = new Map(
    [...(await ours(provider)).values()].map((row) => [
      row.providerServiceId ?? "",
      { rate: row.rate, cost: row.providerRate ?? 0, isOwnRate: false, isForSale: true },
    ]),
  );
  for (const one of there) expect(decided.get(one.id)?.rate).toBe(ruleRate(one.category, one.price));
  return { provider, actor, there, decided };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Changes what the provider offers, mostly a little and sometimes badly. */
function drawNight(random: Random, there: There[]): void {
  // Another currency, or back from it.
  const factor = random.chance(0.08) ? random.pick([90, 1 / 90, 1.1]) : 1;
  for (const one of there) {
    one.broken = null;
    const by = random.chance(0.5) ? random.pick([1, 1.02, 0.97, 1.1, 0.9, 1.19, 1.25, 0.7, 2, 100, 0.01]) : 1;
    one.price = Math.min(Math.max(0, Math.round(one.price * factor * by)), 900_000_000_000);
    if (random.chance(0.02)) one.price = 0;
    if (random.chance(0.05) && one.price < 1_000) one.price = 1_000_000 + random.upTo(1_000_000);
    if (random.chance(0.05)) one.min = 1 + random.upTo(200);
    if (random.chance(0.05)) one.max = 1_000 + random.upTo(20_000);
    if (random.chance(0.02)) one.type = one.type === "Default" ? "Package" : "Default";
    one.isListed = one.isListed ? !random.chance(0.03) : random.chance(0.5);
    if (random.chance(0.04)) one.broken = random.pick(["text", "twice", "huge"]);
  }
}

/** Returns what the provider lists tonight: now and then half of it, or nothing. */
function drawAnswer(random: Random, there: There[]): There[] {
  const listed = there.filter(({ isListed }) => isListed);
  if (random.chance(0.05)) return [];
  return random.chance(0.1) ? listed.filter((_, n) => n % 2 === 0) : listed;
}

function offer(listed: There[]): void {
  const decimal = (micro: number) => `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, "0")}`;
  const entries = listed.flatMap(({ id, category, price, min, max, type, broken }) => {
    const rate = broken === "text" ? "on request" : broken === "huge" ? "999999999" : decimal(price);
    const entry = { service: id, name: `Service ${id}`, category: category || "Likes", type, rate, min, max };
    return broken === "twice" ? [entry, { ...entry, rate: decimal(price + 1) }] : [entry];
  });
  providerReplies(() => Response.json(entries));
}

/** A person decides some of what waits. They keep a rate only where it covers the cost. */
async function decideSome(random: Random, { provider, actor, there, decided }: Shop, lastPrice: Map<string, number>) {
  const rows = await listWaiting(db, provider.id);
  const idOf = new Map([...(await ours(provider)).values()].map((row) => [row.id, row.providerServiceId ?? ""]));
  for (const row of rows.filter(() => random.chance(0.4))) {
    const id = idOf.get(row.serviceId) ?? "";
    const offered = row.cost[1];
    const isCovered = offered === null ? row.rate >= (lastPrice.get(id) ?? 0) : row.rate >= offered;
    const decision = random.pick(
      DECISIONS.filter((one) => (one === "take" ? offered !== null : one === "off" || isCovered)),
    );
    expect(await decideWaiting(db, actor, decision, new Set([row.key]))).toMatchObject({ ok: true, decided: 1 });
    const after = (await ours(provider)).get(id) as Row;
    const by = decided.get(id) as Decided;
    if (decision === "take") {
      const { category } = there.find((one) => one.id === id) as There;
      expect(after.rate).toBe(ruleRate(category, offered ?? 0));
      by.isOwnRate = false;
    } else {
      expect(after.rate).toBe(row.rate);
    }
    if (decision === "keep" && offered !== null) by.isOwnRate = true;
    if (decision === "off") by.isForSale = false;
    else if (row.isPaused) by.isForSale = true;
    expect(after.enabled).toBe(decision !== "off" && (row.isPaused || row.isOnSale || offered === null));
    if (offered === null && decision === "keep") by.isForSale = true;
    // A decision about a service that is gone says nothing about prices.
    if (offered !== null) Object.assign(by, { rate: after.rate, cost: after.providerRate });
  }
}

/** Staff set a rate of their own for a service, above what it costs as far as anybody knows, and put it on sale. */
async function setOwnRate(random: Random, { provider, decided }: Shop, lastPrice: Map<string, number>) {
  const open = await openRows(provider);
  const rows = [...(await ours(provider)).values()].filter(({ id }) => !open.has(id));
  if (rows.length === 0) return;
  const row = random.pick(rows);
  const id = row.providerServiceId ?? "";
  const rate = Math.max(row.providerRate ?? 0, lastPrice.get(id) ?? 0) + 1 + random.upTo(3_000_000);
  await db
    .update(services)
    .set({ rate, enabled: true, version: row.version + 1 })
    .where(eq(services.id, row.id));
  Object.assign(decided.get(id) as Decided, { rate, isOwnRate: rate !== row.ruleRate, isForSale: true });
}

async function ours(provider: Provider): Promise<Map<string, Row>> {
  const rows = await db.select().from(services).where(eq(services.providerId, provider.id));
  return new Map(rows.map((row) => [row.providerServiceId ?? "", row]));
}

async function openRows(provider: Provider) {
  const rows = await db
    .select()
    .from(quarantine)
    .where(and(eq(quarantine.providerId, provider.id), isNull(quarantine.decidedAt)));
  return new Map(rows.map((row) => [row.serviceId, row]));
}

/** The rule, worked out another way than the product does: the lowest multiple of the step that leaves the margin. */
function ruleRate(category: keyof typeof RULES, cost: number): number {
  const { margin, roundTo, minimum } = RULES[category];
  const leaves = (steps: bigint) => {
    const rate = steps * BigInt(roundTo);
    return (rate - BigInt(cost)) * 10_000n >= rate * BigInt(margin) && rate >= BigInt(cost);
  };
  let [low, high] = [0n, 1n];
  while (!leaves(high)) high *= 2n;
  if (leaves(0n)) return minimum;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (leaves(middle)) high = middle;
    else low = middle;
  }
  return Math.max(Number(high * BigInt(roundTo)), minimum);
}

function isWithin(from: number, to: number): boolean {
  const [a, b] = [BigInt(from), BigInt(to)];
  return (b > a ? b - a : a - b) * 100n <= a * LIMIT_PERCENT;
}
