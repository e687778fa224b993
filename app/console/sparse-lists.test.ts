import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { connect, type Db } from "#app/db/db.server.ts";
import { type ListCursor, type ListPage, parseCursor } from "#app/http/lists/list-query.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { exportAuditLog, readAuditLog } from "./audit/audit-log.server.ts";
import { readAuditQuery } from "./audit/audit-query.server.ts";
import { listStaffOrderPage, readStaffOrderQuery } from "./orders/list/staff-order-page.server.ts";

/** Lists whose filter no index holds. Each has its few rows among the oldest of many others. */

type List = (db: Db, after: ListCursor | null) => Promise<ListPage<{ id: number }>>;

const MANY = 10_000;
const RARE = 3;
/** Two windows of a page: their ends, the ids up to there, and the rows of these. */
const MOST_READ = 7000;

test("reads at most a fixed number of rows for a page of rare entries, and finds them all on the next pages", async () => {
  await fillAudit();
  const queries = ["who=grace&what=order.refund", "who=grace&what=order.refund&sort=created"];
  await expectBounded(queries.map(auditOf), fillAudit);
  expect((await auditOf("who=grace&what=order.status")(db, null)).rows).toHaveLength(50);
});

test("reads at most a fixed number of rows for one customer's held, manual or completed orders", async () => {
  const { userId, email } = await customerWith(0);
  const serviceId = await service();
  const fill = (status: string, fulfillment: string, count: number) =>
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
         request_digest, source, fulfillment, created_at, updated_at)
       select ?1, ?2, 'Default', 'https://example.com', 1, 1, '${status}', 0, '${status}${fulfillment}' || i || random(), '',
         'web', '${fulfillment}', 1, 1 from n`,
    )
      .bind(userId, serviceId)
      .run();
  await fill("Pending", "held", RARE);
  await fill("Pending", "manual", RARE);
  await fill("Completed", "accepted", RARE);
  const fillMore = () => fill("Canceled", "accepted", MANY);
  await fillMore();
  const lists = ["held", "manual", "Completed"].map(
    (state): List =>
      async (at, after) => {
        const { query } = await readStaffOrderQuery(at, new URLSearchParams({ q: email, state }));
        return query ? listStaffOrderPage(at, query, after, 50) : { rows: [], next: null };
      },
  );
  await expectBounded(lists, fillMore);
});

test("exports rare entries past pages without any, with amounts as decimals", async () => {
  await env.DB.exec("delete from audit_log");
  await fillAudit();
  const csv = await new Response(await exportAuditLog(db, new URLSearchParams("who=grace&what=order.refund"))).text();
  const lines: string[][] = parse(csv, { bom: true, from_line: 2 });
  expect(lines.map((line) => line[4])).toEqual([3, 2, 1].map((order) => `Grace refunded $5.00 of order ${order}`));
});

function auditOf(query: string): List {
  return async (at, after) => readAuditLog(at, (await readAuditQuery(at, new URLSearchParams(query))).query, after, 50);
}

async function fillAudit(): Promise<void> {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})`;
  const columns = "audit_log (actor_id, actor_name, action, subject_type, subject_id, detail, created_at)";
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into ${columns} select 'grace', 'Grace', 'order.refund', 'order', i, '{"amount":5000000}', 1
       from n where i <= ${RARE} and not exists (select 1 from audit_log where action = 'order.refund' and actor_id = 'grace')`,
    ),
    env.DB.prepare(
      `${numbers} insert into ${columns} select iif(i % 2, 'grace', 'ada'), 'Grace',
        iif(i % 2, 'order.status', 'order.refund'), 'order', i, '{}', 1 from n`,
    ),
  ]);
}

/** Checks what the pages of each list read, and again once there are more rows. */
async function expectBounded(lists: List[], fillMore: () => Promise<unknown>): Promise<void> {
  const fills = atScale(1, 2);
  for (let filled = 1; filled <= fills; filled++) {
    for (const list of lists) {
      const found: number[] = [];
      for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
        const { database, counts } = countedDatabase(env.DB);
        const { rows, next } = await list(connect(database), after);
        expect(counts.rowsRead).toBeLessThanOrEqual(MOST_READ);
        found.push(...rows.map(({ id }) => id));
        after = parseCursor(next);
      }
      expect(found).toHaveLength(RARE);
    }
    if (filled < fills) await fillMore();
  }
}
