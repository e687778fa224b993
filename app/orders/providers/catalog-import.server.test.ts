import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { catalogVersion, providers, services } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { compare, importCatalog, listCatalogChanges } from "./catalog-import.server.ts";
import type { Provider } from "./provider-calls.server.ts";
import { readCatalog, withMarkup } from "./provider-catalog.server.ts";

const MARKUP = 25;

test("adds new services off sale with the markup, and reports them", async () => {
  const provider = await read(await sandboxProvider());
  const result = await importCatalog(db, env, provider, MARKUP);
  expect(result.ok && result.changes.map(({ kind }) => kind)).toEqual(["unreadable", "added", "added"]);
  const [likes] = await own(provider, "11");
  expect(likes).toMatchObject({
    rate: 1_125_000,
    providerRate: 900_000,
    enabled: false,
    network: "Instagram",
    refill: true,
    linkKind: "post",
    linkCheck: "warn",
  });
  expect(await listCatalogChanges(db, provider.id)).toHaveLength(3);
});

test("updates changed prices with the markup and keeps what staff set", async () => {
  const provider = await read(await sandboxProvider());
  await importCatalog(db, env, provider, MARKUP);
  const likes = and(eq(services.providerId, provider.id), eq(services.providerServiceId, "11"));
  const ours = { enabled: true, name: "Ours", rate: 2_000_000, linkKind: "video", linkCheck: "strict" } as const;
  await db.update(services).set(ours).where(likes);
  const again = await importCatalog(db, env, provider, MARKUP);
  expect(again.ok && again.changes.map(({ kind }) => kind)).toEqual(["unreadable"]);
  expect((await own(provider, "11"))[0]).toMatchObject({ enabled: true, name: "Ours", rate: 2_000_000 });
  await db.update(services).set({ providerRate: 800_000, min: 1 }).where(likes);
  const changed = await importCatalog(db, env, provider, MARKUP);
  expect(changed.ok && changed.changes.slice(1)).toEqual([
    { providerServiceId: "11", kind: "price", before: "0.80", after: "0.90" },
    { providerServiceId: "11", kind: "limits", before: "1 to 10000", after: "50 to 10000" },
  ]);
  const kept = { name: "Ours", linkKind: "video", linkCheck: "strict" };
  expect((await own(provider, "11"))[0]).toMatchObject({ ...kept, rate: 1_125_000, min: 50 });
});

test("writes no service and keeps the catalog's version when nothing has changed", async () => {
  const provider = await read(await sandboxProvider());
  await importCatalog(db, env, provider, MARKUP);
  const [before] = await db.select().from(catalogVersion);
  const { database, byStatement } = countedDatabase(env.DB);
  await importCatalog(connect(database), env, provider, MARKUP);
  const written = [...byStatement].filter(([query]) => query.includes(`"services"`));
  // The counter of AUTOINCREMENT, once per statement.
  expect(written.map(([, { rowsWritten }]) => rowsWritten).filter((rows) => rows > 0)).toEqual([1]);
  expect(await db.select().from(catalogVersion)).toEqual([before]);
});

test("takes removed services off sale and keeps unreadable ones", async () => {
  const provider = await read(await sandboxProvider());
  const base = { network: "X", category: "X", name: "X", rate: 1, min: 1, max: 1, providerId: provider.id };
  await db.insert(services).values([
    { ...base, providerServiceId: "gone" },
    { ...base, providerServiceId: "13" },
  ]);
  const result = await importCatalog(db, env, provider, MARKUP);
  expect(result.ok && result.changes.find(({ kind }) => kind === "vanished")?.providerServiceId).toBe("gone");
  expect((await own(provider, "gone"))[0]?.enabled).toBe(false);
  expect((await own(provider, "13"))[0]?.enabled).toBe(true);
});

test("changes nothing if the catalog is not a list", async () => {
  const provider = await read(await sandboxProvider());
  await importCatalog(db, env, provider, MARKUP);
  const before = await db.select().from(services).where(eq(services.providerId, provider.id));
  const broken = { ...provider, apiUrl: `${inject("webhooks").url}/no-panel` };
  expect(await importCatalog(db, env, broken, MARKUP)).toEqual({ ok: false, reason: "no_catalog" });
  expect(await db.select().from(services).where(eq(services.providerId, provider.id))).toEqual(before);
});

test("compares a catalog of 5,000 services", () => {
  const body = Array.from({ length: 5000 }, (_, n) => entry({ service: n % 4999, rate: "0.90" }));
  const read = readCatalog(body);
  expect(read?.services).toHaveLength(4999);
  expect(compare([], read?.services ?? [], [])).toHaveLength(4999);
});

test("reads numbers as texts, 1 as true, and rounds the seventh decimal up", () => {
  const read = readCatalog([
    entry({ service: 7, rate: 0.9, min: 50, max: 100, refill: 1 }),
    entry({ service: "8", rate: "0.1234561" }),
  ]);
  expect(read?.services).toMatchObject([
    { providerServiceId: "7", rate: 900_000, min: 50, max: 100, refill: true },
    { providerServiceId: "8", rate: 123_457 },
  ]);
  const bad = [
    null,
    7,
    {},
    entry({ rate: "free" }),
    entry({ min: "10", max: "5" }),
    entry({ type: "Unheard of" }),
    entry({ rate: "-1" }),
  ];
  expect(readCatalog(bad)?.services).toEqual([]);
  expect(readCatalog({ error: "no" })).toBeNull();
});

test("leaves a service alone that is listed with two prices, and takes one that is listed in two categories", () => {
  const read = readCatalog([
    entry({ service: 7, rate: "0.90" }),
    entry({ service: 8, rate: "0.90" }),
    entry({ service: 7, rate: "90.00" }),
    entry({ service: 8, rate: 0.9, category: "Best sellers", name: "Best followers" }),
  ]);
  expect(read).toMatchObject({ services: [{ providerServiceId: "8" }], unreadable: ["7"] });
});

test("never rounds a markup down", () => {
  expect(withMarkup(900_000, 25)).toBe(1_125_000);
  expect(withMarkup(1, 10)).toBe(2);
  expect(withMarkup(3, 0)).toBe(3);
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

async function read(id: number): Promise<Provider> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, id));
  if (!provider) throw new Error("the provider was not stored");
  return provider;
}

function own(provider: Provider, providerServiceId: string) {
  return db
    .select()
    .from(services)
    .where(and(eq(services.providerId, provider.id), eq(services.providerServiceId, providerServiceId)));
}
