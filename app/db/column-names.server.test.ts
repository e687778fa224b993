import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { newAccount } from "#tests/workerd/new-account.ts";
import { namesOf, refuseSharedNames } from "./column-names.server.ts";
import { connect, type Db } from "./db.server.ts";
import { QueryMeter } from "./query-meter.server.ts";
import { Bookmark, toPrimary } from "./read-replicas.server.ts";
import { authSessions, profiles, users, wallets } from "./schema.server.ts";

const CONNECTIONS: [string, () => Db][] = [
  ["metered", () => connect(env.DB, new QueryMeter())],
  ["plain", () => connect(env.DB)],
  ["request's", () => connect(toPrimary(env.DB, new Bookmark(null)), new QueryMeter())],
];

afterEach(() => {
  refuseSharedNames();
});

function joined(db: Db, userId: string) {
  return db
    .select({ id: users.id, email: users.email, again: profiles.email, name: profiles.fullName })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.id, userId));
}

test.each(CONNECTIONS)(
  "a %s connection refuses a statement with two columns of one name, and names it",
  async (_, at) => {
    const db = at();
    const { userId } = await newAccount();
    const set = { balance: 7 };
    const [id, none] = [sql`${users.id}`, sql`select 1 as a from ${users} where 0`];
    const statements: [string, () => PromiseLike<unknown>][] = [
      ["a join", () => joined(db, userId)],
      ["a join that finds nothing", () => joined(db, "nobody")],
      ["a join in a batch", () => db.batch([db.select().from(wallets), joined(db, "nobody")])],
      ["whole tables", () => db.select().from(users).innerJoin(authSessions, eq(authSessions.userId, users.id))],
      ["one expression twice", () => db.select({ one: sql`count(*)`, two: sql`count(*)` }).from(users)],
      ["a column as an expression", () => db.select({ one: users.id, two: id }).from(users)],
      ["an alias like a column", () => db.select({ one: users.id, two: sql`1`.as("id") }).from(users)],
      ["a name that is a number", () => db.select({ email: users.email, one: sql`1` }).from(users)],
      ["a write", () => db.update(wallets).set(set).returning({ a: wallets.balance, b: wallets.balance })],
      ["text", () => db.all(sql`select 1 as a, 2 as a`)],
      ["text that finds nothing", () => db.all(sql`select u.id, p.user_id as id from users u, profiles p where 0`)],
      ["text with values", () => db.get(sql`select ${userId} as a, 2 as b, ${1} as a`)],
      ["text of a common table", () => db.all(sql`with "one" as (${none}) select a, a from "one"`)],
      ["text of a star", () => db.values(sql`select * from users u, auth_sessions s where 0`)],
      ["text in a batch", () => db.batch([db.all(sql`select 3 as a, 4 as a`)])],
      ["text of a write", () => db.all(sql`delete from wallets where 0 returning user_id, user_id`)],
    ];
    for (const [name, run] of statements) {
      const error = await Promise.resolve()
        .then(run)
        .then(
          () => null,
          (thrown: unknown) => thrown,
        );
      expect(String(error), name).toMatch(/columns? .*: (select|update|with|delete) /is);
    }
  },
);

test.each(CONNECTIONS)("a %s connection runs every other statement", async (_, at) => {
  const db = at();
  const { userId } = await newAccount();
  const [found] = await db
    .select({ id: users.id, email: users.email, again: sql<string>`${profiles.email}`.as("again"), one: sql`1 + 0` })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.id, userId));
  expect(found).toEqual({ id: userId, email: found?.again, again: found?.email, one: 1 });
  expect(await db.select({ one: sql`1` }).from(users).where(eq(users.id, userId))).toEqual([{ one: 1 }]);
  expect(await db.all(sql`select 1 as a, ${"two"} as b`)).toEqual([{ a: 1, b: "two" }]);
  expect(await db.all(sql`values (1, 2)`)).toEqual([{ column1: 1, column2: 2 }]);
  expect(await db.all(sql`delete from wallets where 0 returning rowid`)).toEqual([]);
  expect(await db.$count(users, eq(users.id, userId))).toBe(1);
  await expect(db.all(sql`select a from missing`)).rejects.toThrow();
});

test("names columns as SQLite does", async () => {
  const fields = {
    id: users.id,
    aliased: sql`1`.as("other"),
    column: sql`${users.email}`,
    number: sql`1`,
    expression: sql`coalesce(${wallets.balance}, ${0}) + 1`,
    exists: sql`exists (select 1 from ${wallets})`,
  };
  const query = connect(env.DB).select(fields).from(users).leftJoin(wallets, eq(wallets.userId, users.id));
  const flat = Object.entries(fields).map(([name, field]) => ({ path: [name], field }));
  refuseSharedNames(false);
  const { sql: text, params } = query.toSQL();
  const [names] = await env.DB.prepare(text)
    .bind(...params)
    .raw({ columnNames: true });
  expect(namesOf(flat as Parameters<typeof namesOf>[0])).toEqual(names);
});

test.each(CONNECTIONS)("a %s connection of a deployment refuses a batch's row that lacks a column", async (_, at) => {
  const db = at();
  const { userId } = await newAccount();
  refuseSharedNames(false);
  expect(await joined(db, userId)).toHaveLength(1);
  await expect(db.batch([joined(db, userId)])).rejects.toThrow(/share a name: select "users"\."id"/);
  expect(await db.batch([joined(db, "nobody")])).toEqual([[]]);
});
