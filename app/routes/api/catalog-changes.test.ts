import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { desc, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import {
  catalogVersion,
  ORDER_TYPES,
  providers,
  rollups,
  serviceChanges,
  services,
  serviceTimes,
  webhookDeliveries,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { MEASURED_FIELDS } from "#app/orders/api/api-schema.server.ts";
import { PUBLIC_COLUMNS } from "#app/orders/catalog/catalog.server.ts";
import { favoritesOf, noteSeenFavorites, selectFavorites, setFavorite } from "#app/orders/catalog/favorites.server.ts";
import {
  CHANGES_KEPT_DAYS,
  deleteOldServiceChanges,
  MAX_CHANGES_READ,
} from "#app/orders/catalog/service-changes.server.ts";
import { SERVICE_TIMES_ROLLUP } from "#app/orders/delivery/service-times.server.ts";
import { queueCatalogWebhooks } from "#app/orders/webhooks/queue-catalog-webhooks.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { DAY_MS } from "#app/time.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { ownerOf, signedIn } from "#tests/workerd/signed-in-account.ts";

type Entry = { service: number };
type Changes = { version: number; changes: { service: number; entry: Entry | null; after: number | null }[] };
type Event = {
  data: { since: number; version: number; more: boolean; services: { service: number; change: string }[] };
};

type OpenApi = {
  components: { schemas: { CatalogChanges: { properties: { changes: { description: string } } } } };
};

const ROUNDS = atScale(5, 12);

test("rebuilds the list of services byte for byte from any version before, whatever changed", async () => {
  const { apiKey } = await customerWith(0);
  const random = seededRandom(21);
  for (let n = 0; n < 12; n++) await service({ name: `Start ${n}`, position: random.upTo(4) });
  const versions = [await list(apiKey)];
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = random.upTo(5); n >= 0; n--) await changeSomething(random);
    const current = await list(apiKey);
    for (const { version, text } of versions) {
      const { body } = await changesSince(apiKey, version);
      expect(body.version).toBe(current.version);
      expect(rebuild(text, body)).toBe(current.text);
    }
    versions.push(current);
  }
  expect((await changesSince(apiKey, versions.at(-1)?.version ?? 0)).body.changes).toEqual([]);
});

test("measures delivery times without a new version, and says in the docs that since leaves them out", async () => {
  const { apiKey } = await customerWith(0);
  const serviceId = await service();
  const before = await list(apiKey);
  const times = { p50Ms: 60_000, p90Ms: 120_000, completed: 90, partial: 6, canceled: 4, open: 0 };
  await db.batch([
    db.insert(serviceTimes).values({ serviceId, ...times }),
    db.insert(rollups).values({ name: SERVICE_TIMES_ROLLUP, upToId: Date.now() }).onConflictDoNothing(),
  ]);
  const after = await list(apiKey);
  expect(after.version).toBe(before.version);
  expect((await changesSince(apiKey, before.version)).body.changes).toEqual([]);
  const [old, measured] = [entryOf(before.text, serviceId), entryOf(after.text, serviceId)];
  const changed = Object.keys(measured).filter((name) => measured[name] !== old[name]);
  expect(changed.toSorted()).toEqual([...MEASURED_FIELDS].toSorted());

  const { components } = await (await SELF.fetch(`${SITE}/api/openapi.json`)).json<OpenApi>();
  const said = components.schemas.CatalogChanges.properties.changes.description;
  for (const name of changed) expect(said).toContain(`\`${name}\``);
});

test("records a change of everything that a list of services shows, and of the order of the list", async () => {
  const id = await service({ network: "A", category: "B", name: "C", description: "D" });
  const others = {
    network: "Z",
    category: "Z",
    name: "Z",
    description: "Z",
    type: "Package",
    rate: 1,
    min: 2,
    max: 99,
    position: 5,
    refillDays: 7,
    linkKind: "post",
    linkCheck: "strict",
  };
  const shown = [...Object.keys(PUBLIC_COLUMNS), "position", "enabled"].filter((name) => name !== "id");
  for (const name of shown) {
    const [{ before = null } = {}] = await db.select({ before: sql<number>`max(version)` }).from(serviceChanges);
    const value = others[name as keyof typeof others] ?? sql`not ${sql.identifier(name)}`;
    await db
      .update(services)
      .set({ [name]: value })
      .where(eq(services.id, id));
    const [{ after = null } = {}] = await db.select({ after: sql<number>`max(version)` }).from(serviceChanges);
    expect(after, name).toBeGreaterThan(before ?? 0);
  }
});

test("announces refill days only of a service that has refills, as lists show them", async () => {
  const id = await service({ refill: false, refillDays: 30 });
  const newest = async () =>
    (
      await db
        .select()
        .from(serviceChanges)
        .where(eq(serviceChanges.serviceId, id))
        .orderBy(desc(serviceChanges.version))
    )[0];
  const added = await newest();
  expect(added?.after).toMatchObject({ refill: 0, refill_days: null });
  await db.update(services).set({ refillDays: 60 }).where(eq(services.id, id));
  expect(await newest()).toEqual(added);
  await db.update(services).set({ refill: true }).where(eq(services.id, id));
  expect(await newest()).toMatchObject({ before: { refill_days: null }, after: { refill: 1, refill_days: 60 } });
});

test("says that a version is too old, unknown or unreadable, and never sends half of the changes", async () => {
  const { apiKey } = await customerWith(0);
  const id = await service();
  const { version } = await list(apiKey);
  await db.update(services).set({ rate: 1 }).where(eq(services.id, id));
  const status = async (since: string) => (await get(apiKey, `/api/services?since=${since}`)).status;
  expect(await status(String(version))).toBe(200);
  expect(await status(String(version + 1000))).toBe(410);
  for (const since of ["", "x", "-1", "1.5", "9".repeat(20)]) expect(await status(since), since).toBe(400);
  await db.update(serviceChanges).set({ createdAt: Date.now() - (CHANGES_KEPT_DAYS + 1) * DAY_MS });
  await service();
  const current = await list(apiKey);
  await deleteOldServiceChanges(db);
  expect(await status(String(version))).toBe(410);
  expect(await status(String(current.version - 1))).toBe(200);
  const panel = await SELF.fetch(`${SITE}/api/v2`, {
    method: "POST",
    body: new URLSearchParams({ key: apiKey, action: "services", since: String(version) }),
  });
  expect(await panel.json()).toEqual({
    error: "The changes since this version are not known anymore. Fetch the whole list",
  });
  expect(MAX_CHANGES_READ).toBeLessThanOrEqual(50_000);
});

test("tells nobody what a provider is, what it charges and how it names a service", async () => {
  const { userId, apiKey } = await customerWith(0);
  const canaries = ["canary-provider", "canary.example", "canary-key", "777777", "canary-service"];
  const [provider] = await db
    .insert(providers)
    .values({ name: "canary-provider", apiUrl: "https://canary.example/api", encryptedKey: "canary-key", createdAt: 1 })
    .returning({ id: providers.id });
  const { version } = await list(apiKey);
  await endpointOf(userId);
  const id = await service({
    providerId: provider?.id ?? 0,
    providerServiceId: "canary-service",
    providerRate: 777_777,
  });
  await db.update(services).set({ providerRate: 777_778, rate: 2_000_000 }).where(eq(services.id, id));
  await queueCatalogWebhooks(db, env);
  await db.update(services).set({ enabled: false }).where(eq(services.id, id));
  await queueCatalogWebhooks(db, env);
  const [log, queued] = await Promise.all([db.select().from(serviceChanges), deliveriesOf(userId)]);
  const feed = await (await SELF.fetch(`${SITE}/updates.xml`)).text();
  const page = await (await SELF.fetch(`${SITE}/updates`)).text();
  const told = JSON.stringify([await list(apiKey), await changesSince(apiKey, version), log, queued, feed, page]);
  expect(queued).toHaveLength(2);
  expect(feed).toContain("Off sale");
  for (const canary of canaries) expect(told, canary).not.toContain(canary);
});

test("announces an import of many services in one event per endpoint, in a few statements", async () => {
  const [one, other, off] = [await customerWith(0), await customerWith(0), await customerWith(0)];
  for (const { userId } of [one, other, off]) await endpointOf(userId);
  await db.update(webhookEndpoints).set({ disabledAt: 1 }).where(eq(webhookEndpoints.userId, off.userId));
  const ids = await Promise.all(Array.from({ length: 150 }, (_, n) => service({ name: `Import ${n}` })));
  const { database, counts } = countedDatabase(env.DB);
  await queueCatalogWebhooks(connect(database), env);
  expect(counts.queries).toBeLessThan(20);
  for (const { userId } of [one, other]) {
    const [event, ...more] = await deliveriesOf(userId);
    expect(more).toEqual([]);
    expect(event?.data).toMatchObject({ more: true });
    expect(event?.data.services).toHaveLength(100);
  }
  expect(await deliveriesOf(off.userId)).toEqual([]);
  await queueCatalogWebhooks(db, env);
  expect(await deliveriesOf(one.userId)).toHaveLength(1);

  const [id = 0, second = 0, third = 0] = ids;
  await db.update(services).set({ rate: 1 }).where(eq(services.id, id));
  await db.update(services).set({ rate: 2, min: 11 }).where(eq(services.id, id));
  await db.update(services).set({ enabled: false }).where(eq(services.id, second));
  await db.update(services).set({ rate: 5 }).where(eq(services.id, third));
  await db.update(services).set({ rate: 900_000, description: "no news" }).where(eq(services.id, third));
  await queueCatalogWebhooks(db, env);
  const [, latest] = await deliveriesOf(one.userId);
  expect(latest?.data.services).toMatchObject([
    { service: id, change: "changed", before: { rate: "0.90", min: 10 }, after: { rate: "0.000002", min: 11 } },
    { service: second, change: "removed", after: null },
  ]);
  expect(latest?.data.more).toBe(false);
  // An endpoint that is added now hears of what changes from now on.
  const late = await customerWith(0);
  await endpointOf(late.userId);
  await queueCatalogWebhooks(db, env);
  expect(await deliveriesOf(late.userId)).toEqual([]);
});

test("announces a change to many endpoints in bounded steps, to each once, and continues in the next run", async () => {
  const { userId } = await customerWith(0);
  const [{ version = 0 } = {}] = await db.select({ version: catalogVersion.version }).from(catalogVersion);
  const rows = Array.from({ length: 620 }, (_, n) => ({
    id: `many-${n}`,
    userId,
    url: "https://example.com",
    secret: "sealed",
    createdAt: 1,
    wantsCatalog: true,
    catalogSeen: version,
  }));
  for (let at = 0; at < rows.length; at += 10) await db.insert(webhookEndpoints).values(rows.slice(at, at + 10));
  await service();
  const quiet = { WEBHOOK_DISPATCHER: { getByName: () => ({ wake: async () => {} }) } } as unknown as Env;
  await queueCatalogWebhooks(db, quiet);
  const first = (await deliveriesOf(userId)).length;
  expect(first).toBeGreaterThan(300);
  expect(first).toBeLessThanOrEqual(500);
  // Two runs at once queue nothing twice.
  await Promise.all([queueCatalogWebhooks(db, quiet), queueCatalogWebhooks(db, quiet)]);
  expect(await deliveriesOf(userId)).toHaveLength(620);
  const endpoints = await db
    .selectDistinct({ id: webhookDeliveries.endpointId })
    .from(webhookDeliveries)
    .where(sql`${webhookDeliveries.endpointId} like 'many-%'`);
  expect(endpoints).toHaveLength(620);
});

test("lists updates newest first with price up and down, page by page, while new ones arrive", async () => {
  const id = await service({ name: "Paged <service>", rate: 1_000_000 });
  for (let n = 1; n <= 60; n++) {
    await db
      .update(services)
      .set({ rate: 1_000_000 + n })
      .where(eq(services.id, id));
  }
  await db.update(services).set({ rate: 500_000 }).where(eq(services.id, id));
  const first = await (await SELF.fetch(`${SITE}/updates`)).text();
  expect(first).toContain("Paged &lt;service&gt;");
  expect(first).toContain("Price down");
  expect(first).toContain("Price up");
  expect(first).toContain('type="application/rss+xml"');
  const next = /href="(\/updates\?before=\d+)"/.exec(first)?.[1] ?? "";
  const second = await (await SELF.fetch(SITE + next)).text();
  await db.update(services).set({ rate: 400_000 }).where(eq(services.id, id));
  const again = await (await SELF.fetch(SITE + next)).text();
  const itemsOf = (page: string) => [...page.matchAll(/id="change-(\d+)"/g)].map(([, version]) => version);
  expect(itemsOf(first)).toHaveLength(50);
  expect(itemsOf(again)).toEqual(itemsOf(second));
  expect(itemsOf(first).filter((version) => itemsOf(second).includes(version))).toEqual([]);
  const feed = await SELF.fetch(`${SITE}/updates.xml`);
  expect(feed.headers.get("Content-Type")).toContain("application/rss+xml");
  expect(await feed.text()).toContain("Changed: Paged &lt;service&gt;");
});

test("shows a customer what changed about a favorite until they dismiss it, and nobody else", async () => {
  const [owner, other] = [await signedIn(), await signedIn()];
  const [priced, gone] = [await service({ name: "Priced", rate: 1_000_000 }), await service({ name: "Gone" })];
  for (const id of [priced, gone]) await setFavorite(db, owner.userId, id, true);
  await setFavorite(db, other.userId, priced, true);
  const noticesOf = async (userId: string) => favoritesOf(await selectFavorites(db, userId)).notices;
  expect(await noticesOf(owner.userId)).toEqual([]);
  await db.update(services).set({ rate: 2_000_000 }).where(eq(services.id, priced));
  await db.update(services).set({ enabled: false }).where(eq(services.id, gone));
  const dashboard = async () =>
    (
      await SELF.fetch(`${SITE}/dashboard?service=${priced}&quantity=500`, { headers: { Cookie: owner.cookie } })
    ).text();
  const page = await dashboard();
  const search = /name="search" value="([^"]*)"/.exec(page)?.[1] ?? "";
  expect(page).toContain("Gone<!-- --> went off sale.");
  expect(page).toContain("the price went");
  const seen = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? "";
  // It rises again before the customer dismisses what the page showed.
  await db.update(services).set({ rate: 3_000_000 }).where(eq(services.id, priced));
  const dismissed = await SELF.fetch(`${SITE}/dashboard/services/seen`, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: owner.cookie },
    body: new URLSearchParams({ seen, search: search.replaceAll("&amp;", "&") }),
    redirect: "manual",
  });
  expect(dismissed.status).toBe(302);
  // The order that is being filled in stays.
  expect(dismissed.headers.get("Location")).toBe(`/dashboard?service=${priced}&quantity=500`);
  expect(await noticesOf(owner.userId)).toEqual([
    { id: priced, name: "Priced", rate: 3_000_000, seenRate: 2_000_000, usualRate: 3_000_000 },
  ]);
  expect(await noticesOf(other.userId)).toHaveLength(1);
  await noteSeenFavorites(db, owner.userId, `${priced}:3000000`);
  expect(await noticesOf(owner.userId)).toEqual([]);
  await noteSeenFavorites(db, owner.userId, "x:1,1:x,,:'--");
  await db.update(services).set({ enabled: true }).where(eq(services.id, gone));
  expect(await noticesOf(owner.userId)).toMatchObject([{ id: gone, seenRate: null }]);
});

async function changeSomething(random: ReturnType<typeof seededRandom>): Promise<void> {
  const all = await db.select({ id: services.id }).from(services);
  const { id } = random.pick(all);
  const is = eq(services.id, id);
  switch (random.upTo(8)) {
    case 0:
      await service({ name: `New ${random.upTo(1000)}`, position: random.upTo(4), enabled: random.chance(0.7) });
      break;
    case 1:
      await db.delete(services).where(is);
      break;
    case 2:
      await db
        .update(services)
        .set({ rate: random.upTo(9_000_000), type: random.pick([...ORDER_TYPES]) })
        .where(is);
      break;
    case 3:
      await db
        .update(services)
        .set({ position: random.upTo(4) })
        .where(is);
      break;
    case 4:
      await db
        .update(services)
        .set({ enabled: random.chance(0.5) })
        .where(is);
      break;
    case 5:
      await db
        .update(services)
        .set({ name: `"Näme" <${random.upTo(1000)}>`, category: "C, d" })
        .where(is);
      break;
    case 6:
      await db.update(services).set({ position: sql`${services.position} + 1` });
      break;
    default:
      await db
        .update(services)
        .set({ min: 1 + random.upTo(9), max: 10 + random.upTo(99), refill: random.chance(0.5) })
        .where(is);
  }
}

/** Applies changes as the documentation says. */
function rebuild(text: string, { changes }: Changes): string {
  const named = new Set(changes.map(({ service }) => service));
  const rebuilt = (JSON.parse(text) as Entry[]).filter(({ service }) => !named.has(service));
  for (const { entry, after } of changes) {
    if (entry) rebuilt.splice(after === null ? 0 : rebuilt.findIndex(({ service }) => service === after) + 1, 0, entry);
  }
  return JSON.stringify(rebuilt);
}

function entryOf(text: string, serviceId: number): Record<string, unknown> {
  return (JSON.parse(text) as Record<string, unknown>[]).find((one) => one.service === serviceId) ?? {};
}

function get(apiKey: string, path: string): Promise<Response> {
  return SELF.fetch(SITE + path, { headers: { Authorization: `Bearer ${apiKey}` } });
}

async function list(apiKey: string): Promise<{ version: number; text: string }> {
  const response = await get(apiKey, "/api/services");
  return { version: Number(response.headers.get("Catalog-Version")), text: await response.text() };
}

async function changesSince(apiKey: string, version: number): Promise<{ status: number; body: Changes }> {
  const response = await get(apiKey, `/api/services?since=${version}`);
  return { status: response.status, body: await response.json<Changes>() };
}

async function endpointOf(userId: string): Promise<void> {
  const wants = { wantsOrders: true, wantsCatalog: true };
  expect(await createEndpoint(db, env, await ownerOf(userId), "https://example.com/hook", wants)).toMatchObject({
    ok: true,
  });
}

async function deliveriesOf(userId: string): Promise<Event[]> {
  const rows = await db
    .select({ body: webhookDeliveries.body })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(eq(webhookEndpoints.userId, userId))
    .orderBy(webhookDeliveries.id);
  return rows.map(({ body }) => JSON.parse(body) as Event);
}
