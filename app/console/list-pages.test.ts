import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { connect, type Db } from "#app/db/db.server.ts";
import { listFailedEmails, listSuppressed, readEmailQuery } from "#app/email/email-admin.server.ts";
import { type ListCursor, type ListPage, parseCursor } from "#app/http/lists/list-query.ts";
import { DAY_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { exportAuditLog, readAuditLog } from "./audit/audit-log.server.ts";
import { readAuditQuery } from "./audit/audit-query.server.ts";
import { listProviders, readProviderQuery } from "./catalog/services/provider-admin.server.ts";
import { listCodes, readCodeQuery } from "./money/codes/batch-codes.server.ts";
import { exportStaffOrders, listStaffOrderPage, readStaffOrderQuery } from "./orders/list/staff-order-page.server.ts";
import codeBatchStore from "./stores/code-batch-store.server.ts";
import { exportEmails } from "./system/email-export.server.ts";

type List = (db: Db, params: URLSearchParams, after: ListCursor | null, limit: number) => Promise<ListPage<Row>>;
type Row = { id: number | string } | { digest: string };

const EACH = atScale(1000, 2000);
const START = Date.UTC(2026, 0, 1);
/** A search by halves reads one row more each time that the rows double. */
const MORE_STEPS = 30;

/** The lists of the console, each with what narrows it. */
const LISTS: Record<string, { list: List; queries: string[] }> = {
  orders: {
    list: async (db, params, after, limit) => {
      const { query } = await readStaffOrderQuery(db, params);
      return query === null ? { rows: [], next: null } : listStaffOrderPage(db, query, after, limit);
    },
    queries: ["state=all", "state=Canceled", "state=held", "state=all&from=2026-01-02&to=2026-01-03"],
  },
  audit: {
    list: async (db, params, after, limit) => readAuditLog(db, (await readAuditQuery(db, params)).query, after, limit),
    queries: ["", "who=staff1", "what=order.refund", "from=2026-01-02&to=2026-01-03"],
  },
  "failed emails": {
    list: (db, params, after, limit) => listFailedEmails(db, readEmailQuery(params, false), after, limit),
    queries: ["", "from=2026-01-02&to=2026-01-03"],
  },
  "suppressed addresses": {
    list: (db, params, after, limit) => listSuppressed(db, readEmailQuery(params, false), after, limit),
    queries: ["", "from=2026-01-02&to=2026-01-03"],
  },
  batches: {
    list: (db, params, after, limit) => codeBatchStore.list(db, { search: "", ...readCodeQuery(params) }, after, limit),
    queries: [""],
  },
  codes: { list: (db, params, after, limit) => listCodes(db, 1, readCodeQuery(params), after, limit), queries: [""] },
};

test("reads as many rows for each list's pages however long it is, and goes through it in both directions", async () => {
  const reads: Record<string, number>[] = [];
  for (const filled of [0, EACH]) {
    await fill(filled);
    const counted: Record<string, number> = {};
    for (const [name, { list, queries }] of Object.entries(LISTS)) {
      for (const query of queries.flatMap((one) => [one, `${one}&sort=created`])) {
        const params = new URLSearchParams(query);
        const first = await list(connect(env.DB), params, null, 50);
        for (const after of [null, parseCursor(first.next)]) {
          const { database, counts } = countedDatabase(env.DB);
          await list(connect(database), params, after, 50);
          counted[`${name} ?${query}${after ? ", second page" : ""}`] = counts.rowsRead;
        }
      }
    }
    reads.push(counted);
  }
  const [small = {}, large = {}] = reads;
  for (const [name, rows] of Object.entries(large)) {
    expect(rows, name).toBeLessThanOrEqual(Math.min((small[name] ?? 0) + MORE_STEPS, 500));
  }
  for (const { list, queries } of Object.values(LISTS)) {
    for (const query of queries) {
      const all = await walk(list, query);
      expect(new Set(all).size, query).toBe(all.length);
      expect(all.length, query).toBeGreaterThan(0);
      expect(await walk(list, `${query}&sort=created`), query).toEqual(all.toReversed());
    }
  }
});

test("exports what is filtered, and defuses what a spreadsheet would run", async () => {
  const db = connect(env.DB);
  const rows = async (stream: ReadableStream | Promise<ReadableStream>): Promise<string[][]> =>
    parse(await new Response(await stream).text(), { bom: true, from_line: 2 });
  const days = new URLSearchParams("state=Canceled&from=2026-01-02&to=2026-01-02");
  const orders = await rows(exportStaffOrders(db, days));
  expect(orders.map(([id]) => id)).toEqual(await walk(LISTS.orders?.list ?? fail, String(days)));
  expect(orders.length).toBeGreaterThan(1);
  expect(new Set(orders.map(([, at]) => at?.slice(0, 10)))).toEqual(new Set(["2026-01-02"]));
  expect(await rows(exportStaffOrders(db, new URLSearchParams("q=nobody@test.example")))).toEqual([]);
  await db.run("update audit_log set actor_name = '=cmd()', actor_id = 'evil' where id = 1");
  expect((await rows(exportAuditLog(db, new URLSearchParams("who=evil"))))[0]?.[2]).toBe("'=cmd()");
  const suppressed = await rows(exportEmails(db, new URLSearchParams("state=suppressed&q=person7@")));
  expect(suppressed.map(([, address]) => address)).toEqual(["person7@test.example"]);
});

test("sorts providers by name or by their services", async () => {
  const db = connect(env.DB);
  const provider = "insert into providers (id, name, api_url, encrypted_key, created_at) values";
  await env.DB.exec(`${provider} (801, 'Zeta', '', '', 1), (802, 'Alpha', '', '', 1)`);
  await env.DB.exec("update services set provider_id = 801, provider_service_id = '1' where id = 9001");
  const names = async (sort: string) => {
    const rows = await listProviders(db, readProviderQuery(new URLSearchParams({ sort })));
    return rows.filter(({ id }) => id === 801 || id === 802).map(({ name, services }) => `${name} ${services}`);
  };
  expect(await names("")).toEqual(["Alpha 0", "Zeta 1"]);
  expect(await names("-name")).toEqual(["Zeta 1", "Alpha 0"]);
  expect(await names("services")).toEqual(["Alpha 0", "Zeta 1"]);
  expect(await names("-services")).toEqual(["Zeta 1", "Alpha 0"]);
});

async function fail(): Promise<never> {
  throw new Error("no such list");
}

async function walk(list: List, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const { rows, next } = await list(connect(env.DB), new URLSearchParams(query), after, EACH / 5);
    ids.push(...rows.map((row) => String("id" in row ? row.id : row.digest)));
    after = parseCursor(next);
  }
  return ids;
}

/** Adds rows of each list, 40 a minute, so that many are of the same moment. A day has 100. */
async function fill(from: number): Promise<void> {
  const run = (statement: string) =>
    env.DB.prepare(
      `with recursive n(i) as (select ${from + 1} union all select i + 1 from n where i < ${from + EACH}) ${statement}`,
    );
  const at = `${START} + i / 100 * ${DAY_MS} + i % 100 / 40 * 60000`;
  await env.DB.batch([
    env.DB.prepare("pragma defer_foreign_keys = on"),
    run(`insert or ignore into services (id, network, category, name, type, rate, min, max)
      select 9001, 'Instagram', 'Likes', 'Likes', 'Default', 1, 1, 1 from n limit 1`),
    run(`insert into orders (id, user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
        request_digest, source, fulfillment, created_at, updated_at)
      select i, 'u', 9001, 'Default', 'https://example.com', 1, 1, iif(i % 5, 'Completed', 'Canceled'), 0, 'k' || i, '',
        'web', iif(i % 9, 'manual', 'held'), ${at}, 1 from n`),
    run(`insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at)
      select i, 'staff' || (i % 3), 'Grace', iif(i % 2, 'order.refund', 'order.status'), 'order', i, ${at} from n`),
    run(`insert into emails (id, recipient, kind, status, expires_at, created_at)
      select 'e' || i, 'a@test.example', 'transcript', iif(i % 3, 'failed', 'sent'), 1, ${at} from n`),
    run(`insert into email_suppressions (address_digest, email_address, reason, created_at)
      select 'd' || i, 'person' || i || '@test.example', 'bounced', ${at} from n`),
    run(
      `insert into redeem_batches (id, name, amount, count, max_uses, created_at) select i, 'b', 1, 1, 1, ${at} from n`,
    ),
    run(`insert into redeem_codes (batch_id, digest, ending, uses_left)
      select iif(i <= 200, 1, i), 'c' || i, 'AAAA', 1 from n`),
  ]);
}
