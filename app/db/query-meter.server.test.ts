import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { newAccount } from "#tests/workerd/new-account.ts";
import { refuseSharedNames } from "./column-names.server.ts";
import { connect } from "./db.server.ts";
import { QueryMeter } from "./query-meter.server.ts";
import { rateLimits, users, wallets } from "./schema.server.ts";

test("counts statements, round trips and the rows that the database reports", async () => {
  const meter = new QueryMeter();
  const db = connect(env.DB, meter);
  const key = crypto.randomUUID();
  await db.insert(rateLimits).values({ key, count: 1, resetsAt: 5 });
  expect(meter).toMatchObject({ queries: 1, roundTrips: 1 });
  // The row, its primary key and its index.
  expect(meter.rowsWritten).toBe(3);

  expect(await db.select().from(rateLimits).where(eq(rateLimits.key, key))).toEqual([{ key, count: 1, resetsAt: 5 }]);
  expect(meter).toMatchObject({ queries: 2, roundTrips: 2, rowsRead: 1 });

  const raised = await db
    .update(rateLimits)
    .set({ count: 2 })
    .where(eq(rateLimits.key, key))
    .returning({ count: rateLimits.count, key: rateLimits.key });
  expect(raised).toEqual([{ count: 2, key }]);
  expect(await db.$count(rateLimits, eq(rateLimits.key, key))).toBe(1);
  expect(await db.all(sql`select count from rate_limits where key = ${key}`)).toEqual([{ count: 2 }]);
  expect(meter).toMatchObject({ queries: 5, roundTrips: 5 });

  const before = { ...meter };
  await db.batch([
    db.select().from(rateLimits).where(eq(rateLimits.key, key)),
    db.delete(rateLimits).where(eq(rateLimits.key, key)),
  ]);
  expect(meter).toMatchObject({ queries: before.queries + 2, roundTrips: before.roundTrips + 1 });
  expect(meter.rowsRead).toBeGreaterThan(before.rowsRead);
  expect(meter.rowsWritten).toBeGreaterThan(before.rowsWritten);
});

test("reads the same rows as without a meter, also where columns share a name or are named by a number", async () => {
  // As deployed: elsewhere such a statement is refused.
  refuseSharedNames(false);
  onTestFinished(() => refuseSharedNames());
  const { userId } = await newAccount();
  await env.DB.prepare("insert or ignore into wallets (user_id, balance) values (?, 7)").bind(userId).run();
  const metered = connect(env.DB, new QueryMeter());
  const plain = connect(env.DB);
  const reads = (db: typeof plain) => [
    () =>
      db
        .select({ id: users.id, owner: wallets.userId, createdAt: users.createdAt, again: users.id })
        .from(users)
        .innerJoin(wallets, eq(wallets.userId, users.id))
        .where(eq(users.id, userId)),
    () => db.select({ email: users.email, one: sql`1`, two: sql`2` }).from(users).where(eq(users.id, userId)),
    () => db.select({ email: users.email, one: sql`1`, other: sql`1` }).from(users).where(eq(users.id, userId)),
    () => db.select().from(users).leftJoin(wallets, eq(wallets.userId, users.id)).where(eq(users.id, userId)),
    () =>
      db
        .update(wallets)
        .set({ balance: 7 })
        .where(eq(wallets.userId, userId))
        .returning({ a: wallets.balance, b: wallets.balance, one: sql`1`, owner: wallets.userId }),
  ];
  const expected = reads(plain);
  for (const [at, read] of reads(metered).entries()) {
    const known = await expected[at]?.();
    expect(known).toHaveLength(1);
    expect(await read(), `read ${at}`).toEqual(known);
    expect(await read(), `read ${at}, again`).toEqual(known);
  }
});
