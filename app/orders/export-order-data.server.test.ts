import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import type { Pages } from "#app/http/responses/stream-json.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, service } from "#tests/workerd/customer.ts";
import { EXPORTED_AT_ONCE, exportOrderData } from "./export-order-data.server.ts";

const MANY = 2 * EXPORTED_AT_ONCE;

test("exports every order and ledger entry once, a page in memory at a time, and reads each row once", async () => {
  const { userId } = await customerWith(1);
  const { userId: other } = await customerWith(1);
  // Between the person's orders and those of the test key, so that reading by id alone would pass them.
  await addOrders(userId, MANY + 3, false);
  await addOrders(other, 3 * MANY, false);
  await addOrders(userId, 5, true);
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into ledger (user_id, kind, amount, balance_after, created_at) select ?, 'topup', 1, i, i from n`,
  )
    .bind(MANY, userId)
    .run();

  const { database, byStatement } = countedDatabase(env.DB);
  const { orders, ledger } = await exportOrderData(connect(database), userId);
  const placed = await pagesOf(orders);
  expect(placed.map((page) => page.length)).toEqual([EXPORTED_AT_ONCE, EXPORTED_AT_ONCE, 3, 5]);
  const ids = placed.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(MANY + 8);
  const entries = await pagesOf(ledger);
  expect(Math.max(...entries.map((page) => page.length))).toBe(EXPORTED_AT_ONCE);
  expect(entries.flat().length).toBeGreaterThanOrEqual(MANY);
  const rowsOf = (table: string) =>
    [...byStatement]
      .filter(([statement]) => statement.includes(`from "${table}"`) && statement.includes('"id" >'))
      .reduce((sum, [, { rowsRead }]) => sum + rowsRead, 0);
  // Each order is found in the index and then read.
  expect(rowsOf("orders")).toBeLessThan(2 * (MANY + 8) + 20);
  expect(rowsOf("ledger")).toBeLessThan(2 * (MANY + 8) + 20);
});

async function pagesOf<Row>(pages: Pages<Row>): Promise<Row[][]> {
  const read: Row[][] = [];
  for await (const page of pages) read.push(page);
  return read;
}

async function addOrders(userId: string, count: number, isTest: boolean): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key, request_digest,
       source, is_test, fulfillment, attempts, created_at, updated_at)
     select ?2, ?3, 'Default', 'https://instagram.com/p/' || i, 1, 0, 'Completed', 0, ?4 || i, '', 'api', ?4, 'manual', 1, i, i
     from n`,
  )
    .bind(count, userId, await service(), Number(isTest))
    .run();
}
