import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { listStaffOrderPage, readStaffOrderQuery } from "./staff-order-page.server.ts";

const EACH = 3000;
const LINK = "https://instagram.com/p/often";
/** Ids that a page looks through, the steps of a search by halves for each end of the days, and the rows it joins. */
const MOST_READ = 12_000;
const MORE = 60;

let filters: string[];
let fill: (n: number) => Promise<unknown>;
let rareId: number;

/** Each value that a filter can have is had by some orders, and the rare ones are the oldest. */
beforeAll(async () => {
  const [often, seldom] = [await customerWith(0), await customerWith(0)];
  const serviceIds = [await service(), await service()];
  const providerIds = [await sandboxProvider(), await sandboxProvider()];
  const rare = `insert into orders (user_id, service_id, type, link, link_key, quantity, charge, status, remains, idempotency_key,
      request_digest, source, fulfillment, held_for, provider_id, provider_order_id, reference, expected_by, created_at, updated_at)`;
  const { meta } = await env.DB.prepare(
    `${rare} values (?1, ?2, 'Default', 'https://instagram.com/p/rare', ?3, 1, 1, 'In progress', 1, 'rare', '', 'web', 'held',
      'no_remains', ?4, 'theirs-rare', 'rare-reference', 5, 1, 1)`,
  )
    .bind(seldom.userId, serviceIds[1], linkKeyOf("https://instagram.com/p/rare"), providerIds[1])
    .run();
  rareId = Number(meta.last_row_id);
  fill = (n) =>
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EACH})
       ${rare} select ?1, ?2, 'Default', ?6, ?3, 1, 1,
         case i % 5 when 0 then 'Completed' when 1 then 'Canceled' when 2 then 'Pending' when 3 then 'Partial' else 'Processing' end,
         1, '${n}-' || i, '', 'api', case when i % 5 = 2 and i % 10 < 5 then 'manual' when i % 5 = 4 and i % 10 < 5 then 'held' else 'accepted' end,
         iif(i % 5 = 4 and i % 10 < 5, 'cut_off', null), ?4, null, 'often-reference', 9e15, ?5 + i, 9e15 from n`,
    )
      .bind(often.userId, serviceIds[0], linkKeyOf(LINK), providerIds[0], Date.UTC(2026, 0, 1 + n * 3), LINK)
      .run();
  const [email, rareEmail] = [often.email, seldom.email];
  filters = [
    ...["held", "manual", "open", "Pending", "Processing", "Completed", "Canceled", "Partial", "all"].map(
      (state) => `state=${state}`,
    ),
    ...serviceIds.map((id) => `service=${id}`),
    ...providerIds.map((id) => `provider=${id}`),
    "source=web",
    "source=api",
    "held=cut_off",
    "held=no_remains",
    "late=1",
    "still=1",
    `q=${encodeURIComponent(email)}`,
    `q=${encodeURIComponent(rareEmail)}`,
    `q=${encodeURIComponent(LINK)}`,
    "q=often-reference",
    "from=2026-01-01&to=2026-01-01",
  ];
  await fill(0);
});

test("reads a bounded number of rows for each filter and each pair of filters, however many orders there are", async () => {
  const alone: Record<string, number>[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    const counted: Record<string, number> = {};
    for (const query of filters) counted[query] = await rowsRead(query);
    alone.push(counted);
    if (filled === 1) await fill(1);
  }
  const [small = {}, large = {}] = alone;
  for (const [query, rows] of Object.entries(large)) {
    expect(rows, query).toBeLessThanOrEqual(MOST_READ);
    // What an index holds costs no more with more orders.
    if ((small[query] ?? 0) < 1000) expect(rows, query).toBeLessThanOrEqual((small[query] ?? 0) + MORE);
  }
  const names = (query: string) => query.split("=")[0];
  let pairs = 0;
  for (const [at, one] of filters.entries()) {
    for (const other of filters.slice(at + 1).filter((_, n) => (n + at) % atScale(9, 3) === 0)) {
      if (names(one) === names(other)) continue;
      pairs++;
      expect(await rowsRead(`${one}&${other}`), `${one}&${other}`).toBeLessThanOrEqual(MOST_READ);
    }
  }
  expect(pairs).toBeGreaterThan(atScale(20, 50));
});

test("finds the one order behind all others by each of its filters, alone and with another", async () => {
  const ofRare = filters.filter(
    (query) =>
      /no_remains|source=web|late|still|state=(held|open|all)/.test(query) || query.endsWith(`=${rareOf(query)}`),
  );
  expect(ofRare.length).toBeGreaterThan(7);
  for (const [at, one] of ofRare.entries()) {
    for (const other of ["", ...ofRare.slice(at + 1, at + 1 + atScale(2, ofRare.length))]) {
      if (other.split("=")[0] === one.split("=")[0]) continue;
      for (const sort of ["", "&sort=created"]) {
        const query = `${one}&${other}${sort}`;
        expect(await idsUpTo(rareId, query), query).toContain(rareId);
      }
    }
  }
});

test("lists each order once in both directions, and leaves out test orders", async () => {
  await env.DB.prepare("update orders set is_test = 1 where idempotency_key in ('0-7', '0-9', '0-14')").run();
  for (const query of ["source=api&state=Pending", "late=1", "still=1", `q=${encodeURIComponent(LINK)}&source=api`]) {
    const down = await allIds(query);
    expect(new Set(down).size, query).toBe(down.length);
    expect((await allIds(`${query}&sort=created`)).reverse(), query).toEqual(down);
  }
  const { results } = await env.DB.prepare(
    "select id from orders where is_test = 0 and status = 'Pending' and source = 'api' order by id desc",
  ).all<{ id: number }>();
  expect(await allIds("source=api&state=Pending")).toEqual(results.map(({ id }) => id));
});

function rareOf(query: string): string {
  const rare = filters.filter((one) => one.split("=")[0] === query.split("=")[0]);
  return query.startsWith("service") || query.startsWith("provider") ? (rare[1]?.split("=")[1] ?? "") : "";
}

function allIds(query: string): Promise<number[]> {
  return idsUpTo(null, query);
}

/** Reads pages up to the one with the order, or all of them. */
async function idsUpTo(orderId: number | null, query: string): Promise<number[]> {
  const ids: number[] = [];
  const { query: wanted } = await readStaffOrderQuery(db, new URLSearchParams(query));
  if (wanted === null) throw new Error(`nothing is found by ${query}`);
  let after: ListCursor | null = null;
  for (let isLast = false; !isLast; isLast = after === null || ids.some((id) => id === orderId)) {
    const { rows, next } = await listStaffOrderPage(db, wanted, after, 500);
    ids.push(...rows.map(({ id }) => id));
    after = parseCursor(next);
  }
  return ids;
}

async function rowsRead(query: string): Promise<number> {
  const { database, counts } = countedDatabase(env.DB);
  const { query: wanted } = await readStaffOrderQuery(connect(database), new URLSearchParams(query));
  if (wanted) await listStaffOrderPage(connect(database), wanted, null, 50);
  return counts.rowsRead;
}
