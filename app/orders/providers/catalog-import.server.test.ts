import { env } from "cloudflare:workers";
import { and, eq, ne } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { changedSince } from "#app/db/audit.server.ts";
import { waitOfNight } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { priceRules, providerBalances, providers, quarantine, services } from "#app/db/schema.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { importCatalog, listCatalogChanges, type Preview, previewImport } from "./catalog-import.server.ts";
import { syncCatalog } from "./catalog-sync.server.ts";
import { PANEL_API_V2 } from "./conventions/panel-api-v2.ts";
import { readBalances } from "./provider-balance.server.ts";
import { readCatalog } from "./provider-catalog.server.ts";
import type { Provider } from "./provider-link.server.ts";
import { whyUnreadable } from "./unreadable-entry.ts";

/** 25 % on top of the provider's rate. */
const MARGIN = 2_000;

test("adds the ticked new services off sale at the rule's rate, and only these", async () => {
  const provider = await ruledProvider();
  const preview = await previewOf(provider);
  expect(
    preview.rows.map(({ providerServiceId, group, cost, rate, isTicked }) => [
      providerServiceId,
      group,
      cost,
      rate,
      isTicked,
    ]),
  ).toEqual([
    ["11", "added", [null, 900_000], [null, 1_125_000], true],
    ["12", "added", expect.anything(), expect.anything(), true],
  ]);
  expect(preview.unreadable).toHaveLength(1);
  expect(await importRows(provider, preview, ["11"])).toMatchObject({ ok: true, added: 1, changed: 0 });
  const [likes] = await own(provider, "11");
  expect(likes).toMatchObject({
    rate: 1_125_000,
    providerRate: 900_000,
    ruleRate: 1_125_000,
    enabled: false,
    network: "Instagram",
    refill: true,
    linkKind: "post",
    linkCheck: "warn",
  });
  expect(await own(provider, "12")).toEqual([]);
  expect(await listCatalogChanges(db, provider.id)).toHaveLength(1);
});

test("prices nothing by the rates of a provider whose balance is in another currency, and forgets those it had", async () => {
  const provider = await ruledProvider();
  const serviceId = await service({ providerId: provider.id, providerServiceId: "11", providerRate: 900_000 });
  offer([entry({ service: "11", rate: "2.00" })]);
  const balanceIn = async (currency: string) => {
    providerReplies(() => Response.json({ balance: "100", currency }));
    await db.delete(providerBalances);
    await db.update(providers).set({ enabled: false }).where(ne(providers.id, provider.id));
    await readBalances(db, env);
    offer([entry({ service: "11", rate: "2.00" })]);
  };
  await balanceIn("usd");
  expect(await own(provider, "11")).toMatchObject([{ id: serviceId, providerRate: 900_000 }]);
  expect(await previewImport(db, env, provider)).toMatchObject({ ok: true });

  await balanceIn("INR");
  expect(await own(provider, "11")).toMatchObject([{ id: serviceId, providerRate: null }]);
  for (const refused of [
    await previewImport(db, env, provider),
    await importRows(provider, { digest: "" }, []),
    await syncCatalog(db, env, provider),
  ]) {
    expect(refused).toEqual({ ok: false, reason: "other_currency" });
  }
});

test("prices a category by its own rule, rounds up and keeps to the lowest rate", async () => {
  const provider = await ruledProvider();
  await db.insert(priceRules).values([
    { providerId: provider.id, category: "Views", margin: 5_000, roundTo: 50_000, minimum: 0 },
    { providerId: provider.id, category: "Cheap", margin: 0, roundTo: 1, minimum: 10_000 },
  ]);
  offer([
    entry({ service: "1", rate: "1.01" }),
    entry({ service: "2", rate: "1.01", category: "Views" }),
    entry({ service: "3", rate: "0.001", category: "Cheap" }),
  ]);
  const { rows } = await previewOf(provider);
  expect(rows.map(({ rule, rate }) => [rule, rate[1]])).toEqual([
    ["", 1_262_500],
    ["Views", 2_050_000],
    ["Cheap", 10_000],
  ]);
});

test("finds a stored rule by its cleaned name, the one of exactly that name first", async () => {
  const provider = await ruledProvider();
  const stored = { providerId: provider.id, roundTo: 1, minimum: 0 };
  await db.insert(priceRules).values([
    { ...stored, category: "Instagram \u200eFollowers\u200b", margin: 5_000 },
    { ...stored, category: "Views", margin: 6_000 },
    { ...stored, category: "\u0001Views", margin: 0 },
    { ...stored, category: "\u200b", margin: 7_500 },
  ]);
  offer([
    entry({ service: "1", rate: "1.00", category: "Instagram \u200eFollowers\u200b" }),
    entry({ service: "2", rate: "1.00", category: "Instagram Followers" }),
    entry({ service: "3", rate: "1.00", category: "Views" }),
    entry({ service: "4", rate: "1.00", category: "\u200b" }),
    entry({ service: "5", rate: "1.00", category: "Likes" }),
  ]);
  const { rows } = await previewOf(provider);
  expect(rows.map(({ rule, rate }) => [rule, rate[1]])).toEqual([
    ["Instagram \u200eFollowers\u200b", 2_000_000],
    ["Instagram \u200eFollowers\u200b", 2_000_000],
    ["Views", 2_500_000],
    ["\u200b", 4_000_000],
    ["", 1_250_000],
  ]);
});

test("takes no rule of an invisible name for the general one", async () => {
  const provider = await read(await sandboxProvider());
  await db.insert(priceRules).values({ providerId: provider.id, category: "\u200b", margin: MARGIN });
  expect(await previewImport(db, env, provider)).toEqual({ ok: false, reason: "no_rule" });
});

test("shows rate and margin before and after, and imports a large rise only if it is ticked", async () => {
  const provider = await ruledProvider();
  offer([entry({ rate: "1.00" }), entry({ service: "2", rate: "1.00" })]);
  await importAll(provider);
  offer([entry({ rate: "1.10" }), entry({ service: "2", rate: "3.00" })]);
  const preview = await previewOf(provider);
  expect(preview.rows).toMatchObject([
    { group: "changed", cost: [1_000_000, 1_100_000], rate: [1_250_000, 1_375_000], isTicked: true },
    { group: "look", reason: "rise", cost: [1_000_000, 3_000_000], rate: [1_250_000, 3_750_000], isTicked: false },
  ]);
  expect(await importRows(provider, preview, ["1"])).toMatchObject({ ok: true, changed: 1 });
  expect((await own(provider, "2"))[0]).toMatchObject({ rate: 1_250_000, providerRate: 1_000_000 });
  const again = await previewOf(provider);
  expect(await importRows(provider, again, ["2"])).toMatchObject({ ok: true, changed: 1 });
  expect((await own(provider, "2"))[0]).toMatchObject({
    rate: 3_750_000,
    decidedCost: 3_000_000,
    decidedRate: 3_750_000,
  });
});

test("names the services that it changed in the audit log, and stays short in its list", async () => {
  const provider = await ruledProvider();
  const ids = Array.from({ length: 30 }, (_, n) => String(n + 1));
  const all = (rate: string) => ids.map((service) => entry({ service, rate }));
  offer(all("1.00"));
  await importAll(provider);
  offer(all("1.10"));
  await importAll(provider);
  const [first] = await own(provider, "1");
  const since = Date.now() - 60_000;
  expect(await changedSince(db, "service", first?.id ?? 0, since)).toMatchObject({ changedBy: ["Admin"] });
  expect(await changedSince(db, "service", 987_654, since)).toMatchObject({ changedBy: [] });
  const [listed] = await readActivity(db, { subject: "service", subjectId: String(first?.id) });
  expect(listed).toMatchObject({ action: "provider.import", detail: { changed: 30, services: 30, rates: 30 } });
});

test("keeps what staff set, and their rate unless it is below the provider's", async () => {
  const provider = await ruledProvider();
  offer([entry({ rate: "1.00" })]);
  await importAll(provider);
  const ours = { enabled: true, name: "Ours", rate: 2_000_000, linkKind: "video", linkCheck: "strict" } as const;
  await db.update(services).set(ours).where(isOwn(provider, "1"));
  offer([entry({ rate: "1.90" })]);
  expect((await previewOf(provider)).rows).toMatchObject([{ rule: null, rate: [2_000_000, 2_000_000] }]);
  await importAll(provider);
  expect((await own(provider, "1"))[0]).toMatchObject({ ...ours, providerRate: 1_900_000 });
  offer([entry({ rate: "2.10" })]);
  expect((await previewOf(provider)).rows).toMatchObject([
    { group: "look", reason: "below_cost", rule: "", rate: [2_000_000, 2_625_000], isTicked: false },
  ]);
});

test("leaves a range that staff made narrower, until its own row is ticked", async () => {
  const provider = await ruledProvider();
  offer([entry({ min: "10", max: "1000" })]);
  await importAll(provider);
  await db.update(services).set({ enabled: true, min: 100 }).where(isOwn(provider, "1"));
  const { rows } = await previewOf(provider);
  expect(rows).toMatchObject([{ group: "wider", terms: "100 to 1,000 → 10 to 1,000", isTicked: false }]);
  offer([entry({ min: "10", max: "1000", rate: "0.95" })]);
  await importAll(provider);
  expect((await own(provider, "1"))[0]).toMatchObject({ providerRate: 950_000, min: 100 });
});

test("imports nothing if the catalog, a rule or a service changed after the preview", async () => {
  const provider = await ruledProvider();
  offer([entry({})]);
  await importAll(provider);
  offer([entry({ rate: "1.00" })]);
  const stale = { ok: false, reason: "catalog_changed" };
  const first = await previewOf(provider);
  offer([entry({ rate: "1.01" })]);
  expect(await importRows(provider, first, ["1"])).toEqual(stale);
  const second = await previewOf(provider);
  await db.update(priceRules).set({ margin: 3_000 }).where(eq(priceRules.providerId, provider.id));
  expect(await importRows(provider, second, ["1"])).toEqual(stale);
  const third = await previewOf(provider);
  await db.update(services).set({ name: "Renamed", version: 7 }).where(isOwn(provider, "1"));
  expect(await importRows(provider, third, ["1"])).toEqual(stale);
  expect((await own(provider, "1"))[0]).toMatchObject({ providerRate: 900_000 });
});

test("takes what is gone off sale if it is ticked, and ticks nothing of a partial answer", async () => {
  const provider = await ruledProvider();
  const entries = Array.from({ length: 10 }, (_, n) => entry({ service: n + 1 }));
  offer(entries);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(eq(services.providerId, provider.id));
  offer(entries.slice(1));
  expect(await importAll(provider)).toMatchObject({ removed: 1 });
  expect((await own(provider, "1"))[0]).toMatchObject({ enabled: false });
  offer(entries.slice(6));
  const preview = await previewOf(provider);
  expect(preview.isPartial).toBe(true);
  expect(preview.rows.filter(({ group, isTicked }) => group === "gone" && !isTicked)).toHaveLength(5);
});

test("lists a service whose entry can't be read as unreadable and not as gone, and leaves it as it is", async () => {
  const provider = await ruledProvider();
  const entries = Array.from({ length: 10 }, (_, n) => entry({ service: n + 1 }));
  offer(entries);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(eq(services.providerId, provider.id));
  const before = await own(provider, "1");
  for (const change of [{ min: "many" }, { rate: null }, { type: "Nothing known" }, { name: "" }]) {
    offer([entry({ service: 1, ...change }), ...entries.slice(1)]);
    const preview = await previewOf(provider);
    const ids = preview.unreadable.map(({ id }) => id);
    expect([ids, preview.rows], JSON.stringify(change)).toEqual([["1"], []]);
    await importRows(provider, preview, ["1"]);
    await syncCatalog(db, env, provider);
    expect(await own(provider, "1")).toEqual(before);
  }
});

test("says why an entry can't be read and how it begins, in the preview and in the night's report", async () => {
  const provider = await ruledProvider();
  offer([entry({}), entry({ service: "2", type: "Likes spread" }), entry({ service: "3", rate: "1,250" })]);
  const preview = await previewOf(provider);
  expect(preview).toMatchObject({ unreadableCount: 2, isComplete: true });
  expect(preview.unreadable.map((one) => [one.id, whyUnreadable(one), one.raw.slice(0, 14)])).toEqual([
    ["2", "Its type “Likes spread” is unknown.", '{"service":"2"'],
    ["3", "Its rate “1,250” can be read in two ways, one of them 1,000 times the other.", '{"service":"3"'],
  ]);
  await syncCatalog(db, env, provider);
  expect(await listCatalogChanges(db, provider.id)).toContainEqual(
    expect.objectContaining({
      providerServiceId: "2",
      kind: "unreadable",
      before: "Its type “Likes spread” is unknown.",
      after: expect.stringContaining('{"service":"2"'),
    }),
  );
});

test("shows why nothing of a catalog can be read, and compares nothing with it", async () => {
  const provider = await ruledProvider();
  offer([entry({})]);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(isOwn(provider, "1"));
  offer([entry({ service: "9", rate: undefined, price: "15000" })]);
  expect(await previewOf(provider)).toMatchObject({
    rows: [],
    offered: 0,
    isComplete: false,
    unreadable: [{ id: "9", reason: "rate_unit" }],
  });
  expect(await syncCatalog(db, env, provider)).toEqual({ ok: false, reason: "no_catalog" });
  expect((await own(provider, "1"))[0]).toMatchObject({ enabled: true });
});

test("reads a catalog page by page, and takes nothing off sale that an incomplete one lacks", async () => {
  const provider = await ruledProvider();
  const entries = Array.from({ length: 120 }, (_, n) => entry({ service: n + 1 }));
  offerPages(entries, 120);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(eq(services.providerId, provider.id));
  expect(await db.$count(services, eq(services.providerId, provider.id))).toBe(120);

  // One of them is gone, and the provider says that there are more than it gives.
  offerPages(entries.slice(1), 150);
  const incomplete = await previewOf(provider);
  expect(incomplete).toMatchObject({ rows: [], isComplete: false, total: 150, offered: 119 });
  expect(await syncCatalog(db, env, provider)).toMatchObject({ quarantined: 0, paused: 0, missing: 1 });
  expect((await own(provider, "1"))[0]).toMatchObject({ enabled: true });

  offerPages(entries.slice(1), 119);
  expect((await previewOf(provider)).rows).toMatchObject([{ providerServiceId: "1", group: "gone" }]);
  expect(await syncCatalog(db, env, provider)).toMatchObject({ quarantined: 1, paused: 1, missing: 0 });
});

test("puts a paused service back on sale when its new price is imported", async () => {
  const provider = await ruledProvider();
  offer([entry({ rate: "1.00" })]);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(isOwn(provider, "1"));
  offer([entry({ rate: "100.00" })]);
  expect(await syncCatalog(db, env, provider)).toMatchObject({ quarantined: 1, paused: 1 });
  expect((await own(provider, "1"))[0]).toMatchObject({ enabled: false, rate: 1_250_000 });
  await importRows(provider, await previewOf(provider), ["1"]);
  expect((await own(provider, "1"))[0]).toMatchObject({ enabled: true, rate: 125_000_000 });
  expect(await db.select().from(quarantine).where(eq(quarantine.providerId, provider.id))).toMatchObject([
    { decision: "take" },
  ]);
});

test("imports many new services at once", async () => {
  const many = atScale(2000, 10_000);
  const provider = await ruledProvider();
  offer(Array.from({ length: many }, (_, n) => entry({ service: n + 1, category: `Category ${n % 50}` })));
  expect(await importAll(provider)).toMatchObject({ added: many });
  const stored = await db.$count(services, eq(services.providerId, provider.id));
  expect(stored).toBe(many);
});

test("has no preview without a rule, and changes nothing if the catalog is not a list", async () => {
  const provider = await read(await sandboxProvider());
  expect(await previewImport(db, env, provider)).toEqual({ ok: false, reason: "no_rule" });
  const broken = { ...(await ruledProvider()), apiUrl: `${inject("webhooks").url}/no-panel` };
  expect(await previewImport(db, env, broken)).toEqual({ ok: false, reason: "no_catalog" });
  expect(await syncCatalog(db, env, broken)).toEqual({ ok: false, reason: "no_catalog" });
});

test("reads numbers as texts, 1 as true, and rounds the seventh decimal up", () => {
  const read = readCatalog(
    [entry({ service: 7, rate: 0.9, min: 50, max: 100, refill: 1 }), entry({ service: "8", rate: "0.1234561" })],
    PANEL_API_V2,
  );
  expect(read?.services).toMatchObject([
    { providerServiceId: "7", rate: 900_000, min: 50, max: 100, refill: true },
    { providerServiceId: "8", rate: 123_457 },
  ]);
  const named = entry({ name: "Fast\n\u202eFollowers\u200b", category: "Insta\tgram" });
  expect(readCatalog([named], PANEL_API_V2)?.services).toMatchObject([
    { name: "Fast Followers", category: "Insta gram" },
  ]);
  const bad = [
    entry({ name: "\u200b\n" }),
    null,
    7,
    {},
    entry({ rate: "free" }),
    entry({ min: "10", max: "5" }),
    entry({ type: "Unheard of" }),
    entry({ rate: "-1" }),
    entry({ rate: "1000001" }),
  ];
  expect(readCatalog(bad, PANEL_API_V2)?.services).toEqual([]);
  expect(readCatalog({ error: "no" }, PANEL_API_V2)).toBeNull();
});

test("leaves a service alone that is listed with two prices, and takes one that is listed in two categories", () => {
  const read = readCatalog(
    [
      entry({ service: 7, rate: "0.90" }),
      entry({ service: 8, rate: "0.90" }),
      entry({ service: 7, rate: "90.00" }),
      entry({ service: 8, rate: 0.9, category: "Best sellers", name: "Best followers" }),
    ],
    PANEL_API_V2,
  );
  expect(read).toMatchObject({ services: [{ providerServiceId: "8" }], unreadable: [{ id: "7", reason: "terms" }] });
});

test("imports nothing if a night finds another offer between reading and writing", async () => {
  const provider = await ruledProvider();
  offer([entry({})]);
  await importAll(provider);
  await db.update(services).set({ enabled: true }).where(isOwn(provider, "1"));
  offer([entry({ rate: "1.50" })]);
  await syncCatalog(db, env, provider);
  const { digest } = await previewOf(provider);
  let nights = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    nights++;
    if (nights === 2) {
      offer([entry({ rate: "1.60" })]);
      await syncCatalog(db, env, provider);
    }
    return env.DB.batch(statements);
  };
  const double = { prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database;
  // Without the deadline, which would put single writes in a batch.
  const racing = connect(double, undefined, waitOfNight());
  const actor = { userId: (await customerWith(0)).userId, name: "Admin" };
  offer([entry({ rate: "1.50" })]);
  const imported = await importCatalog(racing, env, provider, { actor, digest, ticked: new Set(["1"]) });
  expect(imported).toEqual({ ok: false, reason: "catalog_changed" });
  expect(await own(provider, "1")).toMatchObject([{ providerRate: 900_000 }]);
  const [waits] = await db.select().from(quarantine).where(eq(quarantine.providerId, provider.id));
  expect(waits).toMatchObject({ decision: null, offered: { rate: 1_600_000 } });
});

function entry(change: object): object {
  return {
    service: "1",
    name: "Likes",
    category: "Instagram Likes",
    type: "Default",
    rate: "0.90",
    min: "50",
    max: "10000",
    ...change,
  };
}

/** Responds to every call for the catalog with these entries. */
function offer(entries: object[]): void {
  providerReplies(() => Response.json(entries));
}

/** Responds with 50 entries a page, as Laravel does. */
function offerPages(entries: object[], total: number): void {
  providerReplies(({ page = "1" }) => {
    const data = entries.slice((Number(page) - 1) * 50, Number(page) * 50);
    return Response.json({ data, current_page: Number(page), last_page: Math.ceil(total / 50), per_page: 50, total });
  });
}

async function ruledProvider(): Promise<Provider> {
  const provider = await read(await sandboxProvider());
  await db.insert(priceRules).values({ providerId: provider.id, category: "", margin: MARGIN });
  return provider;
}

async function read(id: number): Promise<Provider> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, id));
  if (!provider) throw new Error("the provider was not stored");
  return provider;
}

async function previewOf(provider: Provider): Promise<Extract<Preview, { ok: true }>> {
  const preview = await previewImport(db, env, provider);
  if (!preview.ok) throw new Error(preview.reason);
  return preview;
}

async function importRows(provider: Provider, { digest }: { digest: string }, ticked: string[]) {
  const { userId } = await customerWith(0);
  const actor = { userId, name: "Admin" };
  return importCatalog(db, env, provider, { actor, digest, ticked: new Set(ticked) });
}

async function importAll(provider: Provider) {
  const preview = await previewOf(provider);
  const ids = preview.rows.map(({ providerServiceId }) => providerServiceId);
  return importRows(provider, preview, ids);
}

function isOwn(provider: Provider, providerServiceId: string) {
  return and(eq(services.providerId, provider.id), eq(services.providerServiceId, providerServiceId));
}

function own(provider: Provider, providerServiceId: string) {
  return db.select().from(services).where(isOwn(provider, providerServiceId));
}
