import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { stalls } from "#tests/workerd/stalled-database.ts";
import {
  boundedDatabase,
  DatabaseUnavailable,
  isUnavailable,
  waitForAll,
  waitForEach,
} from "./bounded-database.server.ts";
import { connect, violates } from "./db.server.ts";
import { rateLimits } from "./schema.server.ts";

const SHORT_MS = 20;
const stalled = stalls();
const stored = connect(env.DB);

afterEach(() => stalled.end());

function shortly(database = stalled.on(env.DB)) {
  return connect(database, undefined, waitForEach(SHORT_MS));
}

function counter() {
  return { key: crypto.randomUUID(), count: 1, resetsAt: 5 };
}

test("gives up a statement that stands still, and a read goes through again afterwards", async () => {
  const db = connect(stalled.on(env.DB), undefined, stalled.wait);
  stalled.beforeCalls();
  await expect(db.select().from(rateLimits).execute()).rejects.toSatisfy(isUnavailable);
  await stalled.end();
  expect(await db.select().from(rateLimits)).toEqual([]);
});

test("never carries out a write that was given up", async () => {
  const db = shortly();
  const [one, first, second] = [counter(), counter(), counter()];
  stalled.beforeCalls();
  await expect(db.insert(rateLimits).values(one).execute()).rejects.toSatisfy(isUnavailable);
  await expect(db.insert(rateLimits).values(one).returning().execute()).rejects.toSatisfy(isUnavailable);
  const batch = db.batch([db.insert(rateLimits).values(first), db.insert(rateLimits).values(second)]);
  await expect(batch).rejects.toSatisfy(isUnavailable);
  // The held statements now reach the database.
  await stalled.end();
  expect(await stored.$count(rateLimits)).toBe(0);
});

test("reports a write whose answer is lost, though it was carried out", async () => {
  // Time enough to carry it out.
  const db = connect(stalled.on(env.DB), undefined, waitForEach(1500));
  const row = counter();
  stalled.beforeAnswers();
  await expect(db.insert(rateLimits).values(row).execute()).rejects.toSatisfy(isUnavailable);
  expect(await stored.select().from(rateLimits)).toEqual([row]);
});

test("returns what a write returns, and says which constraint refused it", async () => {
  const db = connect(env.DB);
  const row = counter();
  expect(await db.insert(rateLimits).values(row).returning()).toEqual([row]);
  const [, deleted] = await db.batch([
    db.update(rateLimits).set({ count: 2 }).where(eq(rateLimits.key, row.key)),
    db.delete(rateLimits).where(eq(rateLimits.key, row.key)).returning(),
  ]);
  expect(deleted).toEqual([{ ...row, count: 2 }]);
  const { meta } = await db.insert(rateLimits).values(row);
  expect(meta.changes).toBe(1);
  await expect(db.insert(rateLimits).values(row).execute()).rejects.toSatisfy(
    (error) => violates(error, "rate_limits.key") && !isUnavailable(error),
  );
});

test("takes no value of a statement for the words of an outage", async () => {
  const row = { ...counter(), key: "the database is unavailable" };
  await stored.insert(rateLimits).values(row);
  const repeated = await connect(env.DB)
    .insert(rateLimits)
    .values(row)
    .execute()
    .catch((error: unknown) => error);
  expect(String(repeated)).toContain(row.key);
  expect(isUnavailable(repeated)).toBe(false);
});

test("adds no row to what a write reads and writes", async () => {
  const insert = "insert into rate_limits (key, count, resets_at) values (?, 1, 5)";
  const plain = await env.DB.prepare(insert).bind("plain").run();
  const bounded = await boundedDatabase(env.DB).prepare(insert).bind("bounded").run();
  expect(bounded.meta.rows_written).toBe(plain.meta.rows_written);
  const guard = "select iif(unixepoch('subsec') * 1000 <= ?, 1, json_extract('{}', 'x'))";
  const { meta } = await env.DB.prepare(guard)
    .bind(Date.now() + 1000)
    .run();
  expect([meta.rows_read, meta.rows_written]).toEqual([0, 0]);
});

test("lets all statements of a request together wait no longer than one", async () => {
  const db = connect(stalled.on(env.DB), undefined, waitForAll(SHORT_MS));
  stalled.beforeCalls();
  await expect(db.select().from(rateLimits).execute()).rejects.toSatisfy(isUnavailable);
  const calls = stalled.calls;
  await expect(db.select().from(rateLimits).execute()).rejects.toThrow();
  // Refused without asking the database.
  expect(stalled.calls).toBe(calls);
});

test("gives statements the whole wait again when it is renewed, and each its own once it is split", async () => {
  const wait = waitForAll(SHORT_MS);
  const db = connect(stalled.on(env.DB), undefined, wait);
  const left = () => {
    const ms = wait.begin();
    wait.end();
    return ms;
  };
  const exhaust = async () => {
    stalled.beforeCalls();
    await expect(db.select().from(rateLimits).execute()).rejects.toSatisfy(isUnavailable);
    await stalled.end();
  };
  await exhaust();
  expect(left()).toBeLessThanOrEqual(0);
  db.renewWait?.();
  expect(left()).toBeGreaterThan(0);
  await exhaust();
  expect(left()).toBeLessThanOrEqual(0);
  wait.split();
  await exhaust();
  expect(left()).toBe(SHORT_MS);
});

test("keeps the wait of a database that is bounded already", async () => {
  const inner = boundedDatabase(env.DB, waitForEach(10_000));
  const outer = boundedDatabase(inner, waitForEach(0));
  expect((await outer.prepare("select 1 as one").run()).results).toEqual([{ one: 1 }]);
});

test("tells a failure of the platform from a statement that is wrong", async () => {
  stalled.fail();
  await expect(connect(stalled.on(env.DB)).select().from(rateLimits).execute()).rejects.toSatisfy(isUnavailable);
  const wrong = boundedDatabase(env.DB).prepare("select nothing from nowhere").all();
  await expect(wrong).rejects.toSatisfy((error) => !isUnavailable(error));
  expect(isUnavailable(new Error("over", { cause: new DatabaseUnavailable("it stands still") }))).toBe(true);
});
