import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { findDuplicate, findOpenOrder } from "#app/orders/placing/duplicate-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { MINUTE_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { exportOrdersCsv } from "./order-export.server.ts";
import { listOrderPage } from "./order-list.server.ts";

test("searches the link and the other fields' values, not their names or notation", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service({ type: "Custom Comments", min: 1 });
  const link = "https://instagram.com/p/Unique";
  const fields = { link, comments: 'Nice shot\nSo "cool" 5\nÉlan' };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: "1", source: "web" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const find = async (search: string) => {
    const { rows } = await listOrderPage(db, userId, { filter: "all", search, before: null }, 10);
    return rows.map(({ id }) => id);
  };
  for (const search of ["NICE", 'so "COOL"', "Élan", "INSTAGRAM", "unique", String(placed.order.id)]) {
    expect(await find(search), search).toEqual([placed.order.id]);
  }
  for (const search of ["comments", "{", "\\n", '":"']) expect(await find(search), search).toEqual([]);
});

test("finds an order by another form of its link", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const fields = { link: "https://m.tiktok.com/@Ada/video/7301234567890123457?lang=de&_t=8abc", quantity: "100" };
  const input = {
    serviceId: await service({ network: "TikTok", name: "TikTok likes", linkKind: "post", linkCheck: "warn" }),
    fields,
    idempotencyKey: "1",
    source: "web" as const,
  };
  const placed = await placeOrder(db, userId, input);
  if (!placed.ok) throw new Error(placed.fault.reason);
  for (const search of [fields.link, "https://www.tiktok.com/@ada/video/7301234567890123457?utm_source=mail", "@ada"]) {
    const { rows } = await listOrderPage(db, userId, { filter: "all", search, before: null }, 10);
    expect(
      rows.map(({ id }) => id),
      search,
    ).toEqual([placed.order.id]);
  }
  const another = { filter: "all" as const, search: fields.link.replace("457", "458"), before: null };
  expect((await listOrderPage(db, userId, another, 10)).rows).toEqual([]);
});

test("lists and exports the orders of days in the reader's time zone, of this customer alone", async () => {
  const [ada, other] = [await customerWith(10 * MICRO), await customerWith(10 * MICRO)];
  const serviceId = await service({});
  // Midnight in Berlin is 23:00 UTC in winter and 22:00 UTC in summer.
  const times = ["2026-01-14T22:59:59Z", "2026-01-14T23:00:00Z", "2026-01-15T22:59:59Z", "2026-01-15T23:00:00Z"];
  const ids: number[] = [];
  for (const time of times) {
    for (const { userId } of [other, ada]) ids.push(await placedAt(userId, serviceId, Date.parse(time)));
  }
  const own = ids.filter((_, at) => at % 2 === 1);
  const find = async (query: string, also = {}) => {
    const { between } = readDayRange(new URLSearchParams(query));
    const { rows } = await listOrderPage(
      db,
      ada.userId,
      { filter: "all", search: "", before: null, between, ...also },
      10,
    );
    const csv = await new Response(exportOrdersCsv(db, ada.userId, "all", "USD", between)).text();
    const exported = [...csv.matchAll(/^(\d+),/gm)].map(([, id]) => Number(id));
    return { listed: rows.map(({ id }) => id).toReversed(), exported };
  };
  const both = (...at: number[]) => {
    const expected = at.map((one) => own[one]);
    return { listed: expected, exported: expected };
  };
  expect(await find("from=2026-01-15&to=2026-01-15&zone=Europe/Berlin")).toEqual(both(1, 2));
  expect(await find("from=2026-01-15&to=2026-01-15")).toEqual(both(2, 3));
  expect(await find("from=2026-01-15&zone=Europe/Berlin")).toEqual(both(1, 2, 3));
  expect(await find("to=2026-01-14&zone=Europe/Berlin")).toEqual(both(0));
  expect(await find("from=2027-01-01")).toEqual(both());
  expect(await find("from=2026-01-16&to=2026-01-14")).toEqual(both());
  for (const nonsense of ["from=2026-13-40&to=x", "zone=Mars/Olympus", ""]) {
    expect(await find(nonsense), nonsense).toEqual(both(0, 1, 2, 3));
  }
  const byId = await find("from=2026-01-15&zone=Europe/Berlin", { search: own.join(" ") });
  expect(byId.listed).toEqual(own.slice(1));
});

test("starts a day at midnight where the clocks change", () => {
  const hours = (day: string, zone: string) => {
    const { from, before } = readDayRange(new URLSearchParams({ from: day, to: day, zone })).between;
    return ((before ?? 0) - (from ?? 0)) / 3_600_000;
  };
  expect(hours("2026-03-29", "Europe/Berlin")).toBe(23);
  expect(hours("2026-10-25", "Europe/Berlin")).toBe(25);
  expect(hours("2026-06-01", "Asia/Kathmandu")).toBe(24);
});

test("reads the same rows for lists and for a new order's checks however many test orders there are", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service({});
  const link = "https://instagram.com/p/1";
  for (let n = 0; n < 3; n++) await placedAt(userId, serviceId, Date.parse("2026-01-15T12:00:00Z"));
  const lists = [
    { filter: "all" as const },
    { filter: "open" as const },
    { filter: "Pending" as const },
    { filter: "all" as const, search: "unique" },
    { filter: "all" as const, between: readDayRange(new URLSearchParams("from=2026-01-15")).between },
  ];
  const read = async () => {
    const { database, counts } = countedDatabase(env.DB);
    const counted = connect(database);
    const found = [];
    for (const list of lists) {
      const { rows } = await listOrderPage(counted, userId, { search: "", before: null, ...list }, 10);
      found.push(rows.length);
    }
    await findDuplicate(counted, userId, { serviceId, fields: { link }, idempotencyKey: "new" });
    await findOpenOrder(counted, userId, { serviceId, link, idempotencyKey: "new" });
    return { found, ...counts };
  };
  const before = await read();
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
     insert into orders (user_id, service_id, type, link, quantity, charge, remains, idempotency_key, request_digest, source, fulfillment, status, is_test, created_at, updated_at)
     select ?1, ?2, 'Default', ?3, 100, 0, 100, 'test ' || i, '', 'api', 'manual', 'Pending', 1, 1, 1 from n`,
  )
    .bind(userId, serviceId, link)
    .run();
  expect(await read()).toEqual(before);
});

test("reads the same rows for a new order's checks however many orders the account has", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service({});
  const link = "https://instagram.com/p/1";
  const add = (count: number, at: number) =>
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?4)
       insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key, request_digest, source, fulfillment, created_at, updated_at)
       select ?1, ?2, 'Default', ?3, 100, 1, 'Pending', 100, 'n' || ?5 || i, '', 'web', 'manual', ?5, 1 from n`,
    )
      .bind(userId, serviceId, link, count, at)
      .run();
  const read = async () => {
    const { database, counts } = countedDatabase(env.DB);
    const counted = connect(database);
    await findDuplicate(counted, userId, { serviceId, fields: { link }, idempotencyKey: "new" });
    await findOpenOrder(counted, userId, { serviceId, link, idempotencyKey: "new" });
    return counts.rowsRead;
  };
  await add(300, Date.now() - 1000);
  const before = await read();
  await add(2000, Date.now());
  expect(await read()).toBe(before);
});

test("reads as few rows for a day among 20,000 orders as its orders and the halving need", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service({});
  const start = Date.parse("2026-01-01T00:00:00Z");
  await env.DB.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999)
     insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key, request_digest, source, fulfillment, created_at, updated_at)
     select ?1, ?2, 'Default', '', 100, 1, 'Completed', 0, 'd' || i, '', 'api', 'manual', ?3 + i * ?4, 1 from n`,
  )
    .bind(userId, serviceId, start, MINUTE_MS)
    .run();
  for (const filter of ["all", "Completed", "open"] as const) {
    const { database, counts } = countedDatabase(env.DB);
    const { between } = readDayRange(new URLSearchParams("from=2026-01-05&to=2026-01-05"));
    const { rows } = await listOrderPage(connect(database), userId, { filter, search: "", before: null, between }, 10);
    expect(rows.length).toBe(filter === "open" ? 0 : 10);
    expect(counts.rowsRead, filter).toBeLessThanOrEqual(filter === "open" ? 200 : 250);
  }
});

async function placedAt(userId: string, serviceId: number, at: number): Promise<number> {
  const fields = { link: "https://instagram.com/p/1", quantity: "100" };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  await db.update(orders).set({ createdAt: at }).where(eq(orders.id, placed.order.id));
  return placed.order.id;
}
