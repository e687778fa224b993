import { env } from "cloudflare:workers";
import { and, eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { waitOfNight } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, priceRules, providerBalances, providers, quarantine, services } from "#app/db/schema.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { syncCatalog } from "#app/orders/providers/catalog-sync.server.ts";
import { addOffered } from "#app/orders/providers/offered-changes.ts";
import { changeServices } from "#app/orders/services/change-services.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { decideWaiting, listWaiting } from "./quarantine-decisions.server.ts";
import { submitQuarantineForm } from "./quarantine-form.server.ts";
import { exportQuarantine, readQuarantinePage, readQuarantineQuery } from "./quarantine-page.server.ts";

test("takes the new price by the rule, puts the service back on sale, and says so in the audit log", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }]);
  await offer(provider, [entry({ rate: "50.00" })]);
  const [row] = await listWaiting(db, provider.id);
  expect(row).toMatchObject({
    reason: "jump",
    isPaused: true,
    isOnSale: false,
    cost: [1_000_000, 50_000_000],
    rate: 2_000_000,
    rateByRule: 100_000_000,
  });
  expect(await decide(actor, "take", [row])).toEqual({ ok: true, decided: 1, left: [] });
  const [service] = await ofProvider(provider.id);
  expect(service).toMatchObject({ enabled: true, rate: 100_000_000, providerRate: 50_000_000, ruleRate: 100_000_000 });
  const [entryOfLog] = await db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.action, "quarantine.take"), eq(auditLog.subjectId, String(provider.id))));
  expect(entryOfLog?.detail).toMatchObject({
    services: [service?.id],
    rates: { [service?.id ?? 0]: [2_000_000, 100_000_000] },
  });
  expect(await listWaiting(db, provider.id)).toEqual([]);
});

test("finds the rule of a change that was stored with an uncleaned category", async () => {
  const { provider } = await shopWith([{ id: "1" }]);
  await db.insert(priceRules).values({ providerId: provider.id, category: "Likes", margin: 7_500 });
  await offer(provider, [entry({ rate: "50.00" })]);
  const [found] = await db.select().from(quarantine).where(eq(quarantine.providerId, provider.id));
  if (!found?.offered) throw new Error("nothing waits");
  const offered = { ...found.offered, category: "Likes\u200b" };
  await db.update(quarantine).set({ offered }).where(eq(quarantine.id, found.id));
  expect(await listWaiting(db, provider.id)).toMatchObject([{ rule: "Likes", rateByRule: 200_000_000 }]);
});

test("keeps our rate as one of our own, which the next nights leave alone", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }]);
  await offer(provider, [entry({ rate: "1.50" })]);
  await decide(actor, "keep", await listWaiting(db, provider.id));
  expect((await ofProvider(provider.id))[0]).toMatchObject({ enabled: true, rate: 2_000_000, providerRate: 1_500_000 });
  expect(await offer(provider, [entry({ rate: "1.60" })])).toMatchObject({ changed: 1, quarantined: 0 });
  expect((await ofProvider(provider.id))[0]).toMatchObject({ rate: 2_000_000, providerRate: 1_600_000 });
});

test("keeps services off sale, and doesn't ask again", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }, { id: "2" }]);
  await offer(provider, [entry({ rate: "9.00" })]);
  const rows = await listWaiting(db, provider.id);
  expect(rows.map(({ reason }) => reason)).toEqual(["jump", "gone"]);
  await decide(actor, "off", rows);
  expect((await ofProvider(provider.id)).map(({ enabled, rate }) => [enabled, rate])).toEqual([
    [false, 2_000_000],
    [false, 2_000_000],
  ]);
  expect(await offer(provider, [entry({ rate: "9.00" })])).toMatchObject({ changed: 0, quarantined: 0 });
});

test("keeps a service on sale that is gone, until it is back and gone again", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }, { id: "2" }]);
  await offer(provider, [entry({})]);
  const rows = await listWaiting(db, provider.id);
  expect(rows).toMatchObject([{ reason: "gone", isPaused: true }]);
  expect(await decide(actor, "take", rows)).toEqual({ ok: false, reason: "nothing_offered" });
  await decide(actor, "keep", rows);
  expect(await offer(provider, [entry({})])).toMatchObject({ quarantined: 0 });
  expect((await ofProvider(provider.id))[1]).toMatchObject({ enabled: true });
  await offer(provider, [entry({}), entry({ service: "2" })]);
  expect(await offer(provider, [entry({})])).toMatchObject({ quarantined: 1, paused: 1 });
});

test("leaves alone what changed since it was shown, names it with both, and decides the rest", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }, { id: "2" }]);
  const prices = (first: string) => [entry({ rate: first }), entry({ service: "2", rate: "2.00" })];
  await offer(provider, prices("3.00"));
  const shown = await listWaiting(db, provider.id);
  const changed = shown.find(({ cost }) => cost[1] === 3_000_000);
  await offer(provider, prices("4.00"));
  const now = { cost: 4_000_000, rateByRule: 8_000_000, rate: 2_000_000, reason: "rise" };
  const left = [{ name: "Likes 1", shown: { cost: 3_000_000, rateByRule: 6_000_000, rate: 2_000_000 }, now }];
  expect(await decide(actor, "take", [changed])).toMatchObject({ ok: false, reason: "changed_meanwhile", left });
  expect(await decide(actor, "take", shown)).toMatchObject({ ok: true, decided: 1, left });
  expect((await ofProvider(provider.id)).map(({ rate }) => rate)).toEqual([2_000_000, 4_000_000]);
  const second = await listWaiting(db, provider.id);
  await db.update(priceRules).set({ margin: 6_000 }).where(eq(priceRules.providerId, provider.id));
  expect(await decide(actor, "take", second)).toMatchObject({ ok: false, left: [{ now: { rateByRule: 10_000_000 } }] });
  const third = await listWaiting(db, provider.id);
  await db
    .update(services)
    .set({ rate: 5_000_000, version: 9 })
    .where(eq(services.id, third[0]?.serviceId ?? 0));
  expect(await decide(actor, "take", third)).toMatchObject({ ok: false, left: [{ now: { rate: 5_000_000 } }] });
  expect((await ofProvider(provider.id)).map(({ providerRate }) => providerRate)).toEqual([1_000_000, 2_000_000]);
  const fourth = await listWaiting(db, provider.id);
  const both = await Promise.all([decide(actor, "take", fourth), decide(actor, "off", fourth)]);
  expect(both).toContainEqual({ ok: true, decided: 1, left: [] });
  const decision = both[0]?.ok ? "take" : "off";
  expect(both).toContainEqual(expect.objectContaining({ ok: false, left: [expect.objectContaining({ decision })] }));
});

test.each([
  ["another offer", "4.00"],
  ["an offer that is harmless", "1.00"],
])("doesn't decide if a night finds %s between reading and writing", async (_, rate) => {
  const { provider, actor } = await shopWith([{ id: "1" }, { id: "2" }]);
  const prices = (first: string) => [entry({ rate: first }), entry({ service: "2", rate: "1.50" })];
  await offer(provider, prices("1.60"));
  const keys = new Set((await listWaiting(db, provider.id)).map(({ key }) => key));
  let nights = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (nights++ === 0) await offer(provider, prices(rate));
    return env.DB.batch(statements);
  };
  const racing = interrupted(batch);
  const decided = await decideWaiting(racing, actor, "keep", keys);
  expect(decided).toMatchObject({ ok: true, decided: 1, left: [{ name: "Likes 1", shown: { cost: 1_600_000 } }] });
  expect((await ofProvider(provider.id)).map(({ providerRate }) => providerRate)).toEqual([1_000_000, 1_500_000]);
  const waiting = rate === "1.00" ? [] : [[1_000_000, 4_000_000]];
  expect((await listWaiting(db, provider.id)).map(({ cost }) => cost)).toEqual(waiting);
});

test.each([
  { rate: "1.60", now: { enabled: true, waits: [] } },
  { rate: "2.50", now: { enabled: false, waits: [[1_500_000, 2_500_000]] } },
])("judges a service again that was decided on while a night had read it at $rate", async ({ rate, now }) => {
  const { provider, actor } = await shopWith([{ id: "1" }]);
  await offer(provider, [entry({ rate: "1.50" })]);
  const shown = await listWaiting(db, provider.id);
  let batches = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    batches++;
    if (batches === 2) expect(await decide(actor, "keep", shown)).toMatchObject({ ok: true });
    return env.DB.batch(statements);
  };
  const racing = interrupted(batch);
  providerReplies(() => Response.json([entry({ rate })]));
  await syncCatalog(racing, env, provider);
  expect(batches).toBe(now.enabled ? 2 : 4);
  expect((await ofProvider(provider.id))[0]).toMatchObject({ enabled: now.enabled, providerRate: 1_500_000 });
  expect((await listWaiting(db, provider.id)).map(({ cost }) => cost)).toEqual(now.waits);
});

test("takes no price of a provider whose balance turns out to be in another currency", async () => {
  const { provider, actor } = await shopWith([{ id: "1" }]);
  await offer(provider, [entry({ rate: "50.00" })]);
  const balance = { providerId: provider.id, askedAt: 1, balance: 1, currency: "INR", readAt: 1 };
  await db.insert(providerBalances).values(balance);
  const rows = await listWaiting(db, provider.id);
  expect(rows).toMatchObject([{ rateByRule: null }]);
  expect(await decide(actor, "take", rows)).toEqual({ ok: false, reason: "no_rule" });
  await db.update(providerBalances).set({ currency: "usd" }).where(eq(providerBalances.providerId, provider.id));
  expect(await listWaiting(db, provider.id)).toMatchObject([{ rateByRule: 100_000_000 }]);
});

test("pages, searches, exports and decides all that match a filter, but those that changed by then", async () => {
  const ids = Array.from({ length: 25 }, (_, at) => ({ id: String(at + 1) }));
  const { provider, actor } = await shopWith(ids);
  const prices = (rate: string) => ids.slice(0, 20).map(({ id }) => entry({ service: id, rate }));
  await offer(provider, prices("50.00"));
  const search = (text: string) => new URLSearchParams(`provider=${provider.id}${text}`);
  const page = (text: string, after: ListCursor | null = null) =>
    readQuarantinePage(db, readQuarantineQuery(search(text)), after, 10, true);
  const seen: number[] = [];
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const { rows, next, matching } = await page("", after);
    expect(matching).toBe(25);
    seen.push(...rows.map(({ serviceId }) => serviceId));
    after = parseCursor(next);
  }
  expect(seen).toEqual((await listWaiting(db, provider.id)).map(({ serviceId }) => serviceId));
  const { groups, matching, allKeys } = await page("&reason=gone");
  expect(groups.filter(({ providerId }) => providerId === provider.id)).toMatchObject([
    { reason: "jump", count: 20 },
    { reason: "gone", count: 5 },
  ]);
  expect(matching).toBe(5);
  expect((await page(`&q=${seen[3]}`)).rows.map(({ serviceId }) => serviceId)).toContain(seen[3]);
  const csv = await new Response(exportQuarantine(db, search("&reason=gone"))).text();
  expect(csv.trim().split("\r\n")).toHaveLength(6);
  const decideAll = (all: string[] | null, text: string, agrees = false) => {
    const form = new FormData();
    form.set("intent", "keep");
    if (agrees) form.set("loss", "on");
    form.set("picked", JSON.stringify(all));
    const url = `https://growline.example/admin/providers/quarantine?${search(text)}&all=1`;
    return submitQuarantineForm(db, actor, form, url);
  };
  const jumps = await page("&reason=jump");
  expect(jumps.allKeys).toHaveLength(20);
  await offer(provider, prices("60.00"));
  expect(await decideAll(jumps.allKeys, "&reason=jump")).toMatchObject({
    kind: "shown",
    status: 409,
    result: { ok: false, left: { count: 20 } },
  });
  expect(await decideAll([...(allKeys ?? []), ...(jumps.allKeys ?? [])], "")).toMatchObject({
    kind: "shown",
    status: 200,
    result: { ok: true, message: "Your rates kept for 5 services. 20 services left alone: changed since you looked." },
  });
  const rest = await page("&reason=jump");
  const refused = { status: 409, result: { message: expect.stringContaining("below cost"), asksForLoss: true } };
  expect(await decideAll(rest.allKeys, "&reason=jump")).toMatchObject(refused);
  expect(await decideAll(rest.allKeys, "&reason=jump", true)).toMatchObject({
    message: "Your rates kept for 20 services.",
    to: expect.not.stringContaining("all="),
  });
  expect(await listWaiting(db, provider.id)).toEqual([]);
});

test("reads the rows of a page, however many changes wait", async () => {
  const reads: number[] = [];
  for (const count of [200, 600]) {
    const ids = Array.from({ length: count }, (_, at) => ({ id: String(at + 1) }));
    const { provider } = await shopWith(ids);
    await offer(
      provider,
      ids.map(({ id }) => entry({ service: id, rate: "50.00" })),
    );
    const query = readQuarantineQuery(new URLSearchParams(`provider=${provider.id}`));
    const first = await readQuarantinePage(db, query, null, 20, false);
    const { database, counts } = countedDatabase(env.DB);
    const second = await readQuarantinePage(connect(database), query, parseCursor(first.next), 20, false);
    expect(second.rows).toHaveLength(20);
    expect(second.allKeys).toBeNull();
    reads.push(counts.rowsRead - (await db.$count(quarantine, isNull(quarantine.decidedAt))));
  }
  // All that is open is counted in its index. The rest is the page.
  expect(Math.max(...reads)).toBeLessThanOrEqual(200);
});

test("puts a paused service back on sale when the provider takes its price back", async () => {
  const { provider } = await shopWith([{ id: "1" }]);
  await offer(provider, [entry({ rate: "100.00" })]);
  expect((await ofProvider(provider.id))[0]).toMatchObject({ enabled: false, rate: 2_000_000 });
  expect(await offer(provider, [entry({ rate: "1.05" })])).toMatchObject({ released: 1, changed: 1 });
  expect((await ofProvider(provider.id))[0]).toMatchObject({ enabled: true, rate: 2_100_000, providerRate: 1_050_000 });
  expect(await db.select().from(quarantine).where(eq(quarantine.providerId, provider.id))).toMatchObject([
    { decision: "gone_by" },
  ]);
});

test("stops a price that creeps up a little every night", async () => {
  const { provider } = await shopWith([{ id: "1" }]);
  const found = [];
  for (const rate of ["1.09", "1.18", "1.28"]) found.push(await offer(provider, [entry({ rate })]));
  expect(found).toMatchObject([{ changed: 1 }, { changed: 1 }, { changed: 0, quarantined: 1, paused: 0 }]);
  expect((await ofProvider(provider.id))[0]).toMatchObject({ enabled: true, rate: 2_360_000, providerRate: 1_180_000 });
});

test("pauses a service whose type is charged per order there and per 1,000 here", async () => {
  const { provider } = await shopWith([{ id: "1" }]);
  expect(await offer(provider, [entry({ type: "Package" })])).toMatchObject({ quarantined: 1, paused: 1 });
  expect(await listWaiting(db, provider.id)).toMatchObject([{ reason: "type", terms: "Default → Package" }]);
});

test("decides many changes in one step", async () => {
  const many = atScale(500, 2000);
  const ids = Array.from({ length: many }, (_, n) => ({ id: String(n + 1) }));
  const { provider, actor } = await shopWith(ids);
  await offer(
    provider,
    ids.map(({ id }) => entry({ service: id, rate: "1.50" })),
  );
  expect(await decide(actor, "take", await listWaiting(db, provider.id))).toEqual({
    ok: true,
    decided: many,
    left: [],
  });
  expect(await db.$count(services, and(eq(services.providerId, provider.id), eq(services.rate, 3_000_000)))).toBe(many);
});

/** Services on sale for $2.00 that cost $1.00, by a rule of 50 %. */
async function shopWith(listed: { id: string }[]) {
  const id = await sandboxProvider();
  await db.insert(priceRules).values({ providerId: id, category: "", margin: 5_000 });
  const [provider] = await db.select().from(providers).where(eq(providers.id, id));
  if (!provider) throw new Error("the provider was not stored");
  const terms = { category: "Likes", type: "Default", rate: 1_000_000, min: 10, max: 1000 } as const;
  const flags = { dripfeed: false, refill: false, cancel: false };
  const changes = listed.map((one) => {
    const service = { providerServiceId: one.id, name: `Likes ${one.id}`, ...terms, ...flags };
    return addOffered(id, { service, ourRate: 2_000_000 });
  });
  await changeServices(db, null, [{ changes, entry: null }], {});
  await db.update(services).set({ enabled: true }).where(eq(services.providerId, id));
  const { userId } = await customerWith(0);
  return { provider, actor: { userId, name: "Admin" } };
}

/** Has the provider offer these tonight. */
async function offer(provider: typeof providers.$inferSelect, entries: object[]) {
  providerReplies(() => Response.json(entries));
  return syncCatalog(db, env, provider);
}

function entry(change: object): object {
  return {
    service: "1",
    name: "Likes",
    category: "Likes",
    type: "Default",
    rate: "1.00",
    min: "10",
    max: "1000",
    ...change,
  };
}

function decide(
  actor: { userId: string; name: string },
  decision: "take" | "keep" | "off",
  rows: ({ key: string } | undefined)[],
) {
  return decideWaiting(db, actor, decision, new Set(rows.map((row) => row?.key ?? "")));
}

function ofProvider(id: number) {
  return db.select().from(services).where(eq(services.providerId, id)).orderBy(services.id);
}

/** Connects a database whose batches run through `batch`: those of the product alone, as single writes have no deadline. */
function interrupted(batch: (statements: D1PreparedStatement[]) => Promise<D1Result[]>) {
  const double = { prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database;
  return connect(double, undefined, waitOfNight());
}
