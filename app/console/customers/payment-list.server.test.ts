import { env } from "cloudflare:workers";
import { parse } from "csv-parse/sync";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { LIST_ROWS_PER_READ } from "#app/http/responses/stream-csv.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { exportPayments, listPayments, readPaymentQuery } from "./payment-list.server.ts";

const START = Date.UTC(2026, 0, 1);

beforeEach(() => env.DB.prepare("delete from checkouts").run());

test("goes through all payments by pages, in both directions, though many are of the same moment", async () => {
  await fill(0, 25);
  const all = await walk("state=all", 4);
  expect(all).toHaveLength(25);
  expect(new Set(all).size).toBe(25);
  expect(await walk("state=all&sort=created", 4)).toEqual(all.toReversed());
});

test("lists and exports the payments of some days in one state", async () => {
  await fill(0, 50);
  const query = "state=review&from=2026-01-02&to=2026-01-03&zone=UTC&sort=created";
  const listed = await walk(query, 3);
  expect(listed).toEqual(["p14", "p21", "p28"]);
  const rows: string[][] = parse(await new Response(exportPayments(db, new URLSearchParams(query))).text(), {
    bom: true,
  });
  expect(rows.map(([id]) => id)).toEqual(["payment", ...listed]);
});

test("exports more payments than it reads at once, each one once", async () => {
  await fill(0, LIST_ROWS_PER_READ + 10);
  const text = await new Response(exportPayments(db, new URLSearchParams("state=all"))).text();
  const rows: string[][] = parse(text, { bom: true, from_line: 2 });
  expect(new Set(rows.map(([id]) => id)).size).toBe(LIST_ROWS_PER_READ + 10);
});

test("reads as many rows for a page of 10,000 payments as of 5,000", async () => {
  const reads: number[][] = [];
  for (const from of [0, 5000]) {
    await fill(from, from + 5000);
    reads.push(await readsOfPages());
  }
  expect(reads[1]).toEqual(reads[0]);
  expect(Math.max(...(reads[0] ?? []))).toBeLessThanOrEqual(110);
});

async function readsOfPages(): Promise<number[]> {
  const after = { value: START + 400 * 60_000, id: "p400" };
  const counted: number[] = [];
  for (const state of ["review", "reversed", "all"]) {
    for (const query of ["", "&sort=created", "&sort=created&from=2026-01-02&to=2026-01-09"]) {
      for (const cursor of [null, after]) {
        const { database, counts } = countedDatabase(env.DB);
        await listPayments(
          connect(database),
          readPaymentQuery(new URLSearchParams(`state=${state}${query}`)),
          cursor,
          50,
        );
        counted.push(counts.rowsRead);
      }
    }
  }
  return counted;
}

/** Goes through all pages of a list and returns the ids. */
async function walk(query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const { rows, next } = await listPayments(db, readPaymentQuery(new URLSearchParams(query)), after, limit);
    ids.push(...rows.map(({ id }) => id));
    after = parseCursor(next);
  }
  return ids;
}

/** Adds payments, ten a day, five of them at the same moment. Every seventh is in review, every third was reversed. */
async function fill(from: number, to: number): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})
     insert into checkouts (id, user_id, amount, status, paid, reversed, created_at, updated_at)
     select 'p' || i, 'u', 1000000, iif(i % 7 = 0, 'review', 'paid'), 1000000, iif(i % 3 = 0, 1, 0),
       ${START} + (i / 10) * ${DAY_MS} + (i % 10) / 5 * 60000, 1 from n`,
  ).run();
}
