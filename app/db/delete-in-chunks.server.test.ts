import { env } from "cloudflare:workers";
import { eq, lt, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { connect } from "./db.server.ts";
import { deleteInChunks, deleteOldest } from "./delete-in-chunks.server.ts";
import { rateLimits } from "./schema.server.ts";

const uncounted = connect(env.DB);

beforeEach(async () => {
  await uncounted.delete(rateLimits);
  await uncounted.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into rate_limits (key, count, resets_at) select 'key' || i, 1, i from n`);
});

test("deletes every matching row, in statements of bounded size, without reading the others", async () => {
  const { database, counts } = countedDatabase(env.DB);
  expect(await deleteInChunks(connect(database), rateLimits, lt(rateLimits.resetsAt, 26), { rows: 10 })).toBe(25);
  // Three, each behind its deadline.
  expect(counts.queries).toBe(2 * 3);
  // Each deleted row is read in the index, in the list of ids, in the table and when its index entries are removed.
  expect(counts.rowsRead).toBeLessThanOrEqual(25 * 6);
  expect(await uncounted.$count(rateLimits)).toBe(1975);
});

test("stops after the given number of statements and continues in the next call", async () => {
  const { database, counts } = countedDatabase(env.DB);
  const bounds = { rows: 10, maxChunks: 2 };
  const ended = lt(rateLimits.resetsAt, 31);
  expect(await deleteInChunks(connect(database), rateLimits, ended, bounds)).toBe(20);
  expect(await deleteInChunks(connect(database), rateLimits, ended, bounds)).toBe(10);
  expect(counts.queries).toBe(2 * (2 + 2));
});

test("deletes the oldest rows up to the first young one, keeps some, and reads none beyond", async () => {
  const { database, counts } = countedDatabase(env.DB);
  const isOld = lt(rateLimits.resetsAt, 26);
  const isKept = eq(rateLimits.key, "key7");
  const remove = () => deleteOldest(connect(database), rateLimits, { isOld, isKept }, { rows: 10 });
  expect(await remove()).toBe(24);
  // Besides the deleted rows, those of the last page are read.
  expect(counts.rowsRead).toBeLessThanOrEqual(25 * 6 + 10);
  expect(await remove()).toBe(0);
  expect(await uncounted.$count(rateLimits)).toBe(1976);
});

test("deletes the oldest rows up to its bound, past those it keeps", async () => {
  const isOld = lt(rateLimits.resetsAt, 1000);
  const isKept = lt(rateLimits.resetsAt, 15);
  const remove = () => deleteOldest(uncounted, rateLimits, { isOld, isKept }, { rows: 10, maxChunks: 3 });
  expect(await remove()).toBe(30 - 14);
  expect(await remove()).toBe(30 - 14);
});
