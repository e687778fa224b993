import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Actor } from "#app/db/audit.server.ts";
import { connect } from "#app/db/db.server.ts";
import { services, serviceTimes } from "#app/db/schema.server.ts";
import { parseCursor } from "#app/http/lists/list-query.ts";
import { listCategories } from "#app/orders/catalog/service-categories.server.ts";
import { marginOf } from "#app/orders/rules/margin.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { submitCellForm } from "./service-cell-form.server.ts";
import { COUNTED_TO, SERVICE_SORTS } from "./service-filter-names.ts";
import { countServices, exportServices, listServices, readServiceQuery } from "./service-list.server.ts";

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };

test("sorts by every column in both directions, page by page, each service once", async () => {
  const network = await filled(60);
  for (const key of SERVICE_SORTS) {
    for (const sort of [key, `-${key}`]) {
      const { query, pages } = await readPages(network, sort, 20);
      const ids = pages.map(({ id }) => id);
      expect(new Set(ids).size, sort).toBe(60);
      const known = pages.filter((row) => !UNKNOWN_LAST[key]?.(row));
      // Unknown values come last, in either direction.
      expect(pages.slice(0, known.length), sort).toEqual(known);
      const values = known.map(VALUES[key]);
      const sorted = [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      expect(values, sort).toEqual(query.sort.descending ? sorted.reverse() : sorted);
    }
  }
});

test("narrows to a network, category, provider, status, margin, loss, no orders, and a part of the name", async () => {
  const network = await filled(60);
  const all = (await readPages(network, "id", 100)).pages;
  const cases: Record<string, (row: (typeof all)[number]) => boolean> = {
    category: ({ category }) => category === "Likes 1",
    state: ({ enabled }) => !enabled,
    margin: ({ rate, providerRate }) =>
      providerRate !== null && BigInt(rate - providerRate) * 10_000n < 1_250n * BigInt(rate),
    loss: ({ enabled, rate, providerRate }) => enabled && providerRate !== null && rate < providerRate,
    idle: ({ orders }) => orders === 0,
    provider: ({ provider }) => provider === null,
    q: ({ name }) => name.includes("Service 1"),
  };
  const given = {
    category: "Likes 1",
    state: "disabled",
    margin: "12.5",
    loss: "1",
    idle: "1",
    provider: "manual",
    q: "sERVICE 1",
  };
  for (const [name, value] of Object.entries(given)) {
    const params = new URLSearchParams({ network, [name]: value });
    const query = readServiceQuery(params);
    const { rows } = await listServices(db, query, null, 100);
    const expected = all.filter((row) => cases[name]?.(row));
    expect(expected.length, name).toBeGreaterThan(0);
    expect(expected.length, name).toBeLessThan(all.length);
    expect(
      rows.map(({ id }) => id),
      name,
    ).toEqual(expected.map(({ id }) => id));
    expect(await countServices(db, query.filter), name).toBe(expected.length);
  }
  for (const { id, rate, providerRate, margin } of all) {
    expect(margin, String(id)).toBe(providerRate === null ? null : marginOf(rate, providerRate));
  }
});

test("exports what is filtered, in the list's order", async () => {
  const network = await filled(20);
  const csv = await new Response(exportServices(db, new URLSearchParams({ network, sort: "-rate" }))).text();
  const [head, ...lines] = csv.trim().split("\r\n");
  expect(head).toContain("provider_rate,rate,margin,orders_30_days");
  const ids = lines.map((line) => Number(line.split(",")[0]));
  expect(ids).toEqual((await readPages(network, "-rate", 100)).pages.map(({ id }) => id));
});

test("saves one cell from the version that the list shows, and shows another's change instead of undoing it", async () => {
  const id = await service({ rate: 2_000_000 });
  const cell = (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ id: String(id), field: "rate", ...fields })) form.set(name, value);
    return submitCellForm(db, STAFF, form);
  };
  expect(await cell({ version: "1", value: "9" })).toMatchObject({ ok: true, row: { rate: 9_000_000, version: 2 } });
  const stale = await cell({ version: "1", value: "2" });
  expect(stale).toMatchObject({ ok: false, row: { rate: 9_000_000, version: 2 } });
  expect(stale?.message).toContain(STAFF.name);
  for (const value of ["", "-1", "1e3", "1.1234567", "12,50"]) {
    expect(await cell({ version: "2", value }), value).toMatchObject({ ok: false });
  }
  expect(await cell({ version: "2", field: "enabled", value: "off" })).toMatchObject({
    ok: true,
    row: { enabled: false },
  });
  expect(await cell({ version: "3", field: "category", value: "Views" })).toMatchObject({ row: { category: "Views" } });
  expect(await cell({ version: "4", field: "providerRate", value: "1" })).toBeNull();
  const [stored] = await db.select().from(services).where(eq(services.id, id));
  expect(stored).toMatchObject({ rate: 9_000_000, enabled: false, category: "Views", version: 4 });
});

test("reads each service of the filter once to sort or count, and joins only the page, with 2,000 and 20,000 services", async () => {
  await db.delete(serviceTimes);
  await db.delete(services);
  const read = async (params: Record<string, string>) => {
    const metered = countedDatabase(env.DB);
    const at = connect(metered.database);
    const query = readServiceQuery(new URLSearchParams(params));
    await listServices(at, query, null, 100);
    await countServices(at, query.filter);
    await listCategories(at);
    return metered.counts.rowsRead;
  };
  const measured: Record<string, number[]> = {};
  const providerId = await sandboxProvider();
  for (const total of [2_000, 20_000]) {
    await fillTo(total, providerId);
    const pages = {
      first: {},
      "by rate": { sort: "-rate" },
      "by margin": { sort: "margin" },
      "by orders": { sort: "-orders" },
      "margin below": { margin: "20" },
    };
    for (const [name, params] of Object.entries(pages))
      measured[name] = [...(measured[name] ?? []), await read(params)];
  }
  console.log("rows read by a page at 2,000 and 20,000 services:", JSON.stringify(measured));
  const [first = 0, firstOfMany = 0] = measured.first ?? [];
  expect(first).toBeLessThan(2_000 + 1_500);
  // The count stops where a change of all that match would.
  expect(firstOfMany).toBeLessThan(COUNTED_TO + 1_500);
  // Each is read, and once more from the sorter.
  expect(measured["by margin"]?.[1]).toBeLessThan(2 * 20_000 + COUNTED_TO + 1_500);
});

type Row = Awaited<ReturnType<typeof listServices>>["rows"][number];

const VALUES: Record<(typeof SERVICE_SORTS)[number], (row: Row) => string | number | boolean> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  network: ({ network }) => network,
  category: ({ category }) => category,
  provider: ({ provider }) => provider ?? "",
  cost: ({ providerRate }) => providerRate ?? 0,
  rate: ({ rate }) => rate,
  margin: ({ rate, providerRate }) => Math.trunc(((rate - (providerRate ?? 0)) * 10_000) / rate),
  orders: ({ orders }) => orders,
  p50: ({ p50Ms }) => p50Ms ?? 0,
  enabled: ({ enabled }) => Number(enabled),
};

const UNKNOWN_LAST: Partial<Record<(typeof SERVICE_SORTS)[number], (row: Row) => boolean>> = {
  provider: ({ provider }) => provider === null,
  cost: ({ providerRate }) => providerRate === null,
  margin: ({ margin }) => margin === null,
  p50: ({ p50Ms }) => p50Ms === null,
};

/** Creates services that differ in everything, and returns their network. */
async function filled(count: number): Promise<string> {
  const network = `Network ${crypto.randomUUID()}`;
  const providers = [null, await sandboxProvider(), await sandboxProvider()];
  for (let n = 0; n < count; n++) {
    const providerId = providers[n % 3] ?? null;
    const id = await service({
      network,
      category: `Likes ${n % 4}`,
      name: `Service ${(n * 7) % 30}`,
      rate: 500_000 + ((n * 37) % 41) * 10_000,
      enabled: n % 5 > 0,
      providerId,
      providerServiceId: providerId === null ? null : crypto.randomUUID(),
      providerRate: providerId === null ? null : 400_000 + ((n * 13) % 29) * 12_345,
    });
    const p50Ms = n % 4 === 0 ? null : 1000 * (1 + (n % 9));
    const counts = { completed: p50Ms === null ? 0 : 10, partial: 0, canceled: 0, open: 0 };
    if (n % 2 === 0) await db.insert(serviceTimes).values({ serviceId: id, p50Ms, ...counts, orders: (n * 11) % 17 });
  }
  return network;
}

async function readPages(network: string, sort: string, limit: number) {
  const query = readServiceQuery(new URLSearchParams({ network, sort }));
  const pages: Row[] = [];
  let next: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listServices>> = await listServices(db, query, parseCursor(next), limit);
    pages.push(...page.rows);
    next = page.next;
  } while (next !== null);
  return { query, pages };
}

async function fillTo(total: number, providerId: number): Promise<void> {
  await db.run(sql`insert into services (network, category, name, type, rate, min, max, provider_id, provider_service_id, provider_rate)
    with recursive n(i) as (select (select count(*) + 1 from services) union all select i + 1 from n where i < ${total})
    select 'Network ' || (i % 10), 'Category ' || (i % 12), 'Likes ' || i, 'Default', 900000 + i, 10, 100000, ${providerId},
      'many ' || i, 700000 + i % 1000 from n`);
  await db.run(sql`insert or ignore into service_times (service_id, p50_ms, p90_ms, completed, partial, canceled, open, orders)
    select id, 60000 + id, 120000 + id, 10, 0, 0, 0, id % 50 from services`);
}
