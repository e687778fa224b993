import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { DAY_MS } from "#app/time.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { exportCustomers, findCustomers, listCustomers, readCustomerQuery } from "./customer-list.server.ts";

const EACH = atScale(1000, 3000);

beforeEach(() =>
  env.DB.batch(
    ["users where id", "checkouts where user_id", "wallets where user_id", "spending_days where user_id"].map((rows) =>
      env.DB.prepare(`delete from ${rows} like 'u%'`),
    ),
  ),
);

test("reads as many rows for a page of customers or of a search, however many there are", async () => {
  const reads: number[][] = [];
  for (let filled = 0; filled < 2; filled++) {
    await addCustomers(filled * EACH, (filled + 1) * EACH);
    await addReversals(filled * EACH, (filled + 1) * EACH);
    await env.DB.batch([
      env.DB.prepare(
        "insert or ignore into tiers (id, slot, name, kind, created_at, updated_at) values (3, 3, 'Gold', 'fixed', 0, 0)",
      ),
      env.DB.prepare("update wallets set tier_id = 3 where user_id like 'u%'"),
    ]);
    const counted: number[] = [];
    for (const query of [
      "q=rare",
      "q=person",
      "q=p",
      "",
      "sort=email",
      "sort=-email",
      "sort=name",
      "sort=-name",
      "sort=created",
      "from=1970-01-02&to=1970-01-02",
      "view=owing",
      "view=team",
      "tier=3",
    ]) {
      const params = readCustomerQuery(new URLSearchParams(query));
      const first = await listCustomers(connect(env.DB), params, null, 50);
      for (const after of [null, parseCursor(first.next)]) {
        const { database, counts } = countedDatabase(env.DB);
        await listCustomers(connect(database), params, after, 50);
        counted.push(counts.rowsRead);
      }
    }
    reads.push(counted);
  }
  for (const [at, rows] of (reads[1] ?? []).entries())
    expect(rows, `case ${at}`).toBeLessThanOrEqual((reads[0]?.[at] ?? 0) + 20);
  // Those who owe are looked for among 300 reversed payments.
  expect(Math.max(...(reads[1] ?? []))).toBeLessThanOrEqual(1000);
  expect((reads[1] ?? []).filter((rows) => rows > 450)).toHaveLength(2);
});

test("lists those who owe, each once, however many of their payments were reversed, and no one whose debt is paid", async () => {
  await addCustomers(0, 400);
  await addReversals(0, 400);
  await addReversals(0, 400, "again");
  // The newest payment first; one in eight owes.
  const owing = Array.from({ length: 50 }, (_, at) => `u${392 - at * 8}`);
  for (const limit of [7, 50]) expect(await walk("view=owing", limit)).toEqual(owing);
  const { rows } = await listCustomers(connect(env.DB), readCustomerQuery(new URLSearchParams("view=owing")), null, 1);
  expect(rows).toMatchObject([{ userId: "u392", owed: 5, spent: 0 }]);
  // Whoever is gone leaves the payment behind.
  await env.DB.prepare("delete from users where id = 'u392'").run();
  expect(await walk("view=owing", 7)).toEqual(owing.slice(1));
});

test("shows the spending of the last 30 days beside each customer, and exports it", async () => {
  await addCustomers(0, 3);
  const today = Math.floor(Date.now() / DAY_MS);
  const spent = env.DB.prepare("insert into spending_days (user_id, day, spent, balance) values (?, ?, ?, 0)");
  await env.DB.batch([
    spent.bind("u1", today, 2_000_000),
    spent.bind("u1", today - 29, 500_000),
    spent.bind("u1", today - 30, 9_000_000),
    spent.bind("u2", today - 1, 7_000_000),
  ]);
  const query = readCustomerQuery(new URLSearchParams("q=person1@"));
  expect((await listCustomers(connect(env.DB), query, null, 5)).rows).toMatchObject([
    { userId: "u1", spent: 2_500_000 },
  ]);
  const csv = await new Response(exportCustomers(connect(env.DB), new URLSearchParams("q=person1@"))).text();
  expect(csv.trim().split("\r\n")[0]).toMatch(/owed,spent_30_days$/);
  expect(csv.trim().split("\r\n")[1]).toMatch(/,0\.00,0\.00,2\.50$/);
});

test("finds customers for the palette by any part of their name or email, and by how a short text begins", async () => {
  await addCustomers(0, 30);
  await rename("u5", "Zoë Zed");
  const found = async (text: string) => (await findCustomers(connect(env.DB), text, 3)).map(({ userId }) => userId);
  expect(await found("erson7@")).toEqual(["u7"]);
  expect(await found("ed")).toEqual([]);
  expect(await found("zo")).toEqual(["u5"]);
  expect(await found("zed")).toEqual(["u5"]);
  expect(await found("person")).toHaveLength(3);
});

test("lists the team by name", async () => {
  await addCustomers(0, 20);
  await env.DB.exec("update profiles set role = 'agent', full_name = 'Zed' where user_id in ('u3', 'u4', 'u5')");
  await env.DB.exec("update profiles set role = 'admin', full_name = 'ada' where user_id = 'u6'");
  for (const limit of [2, 50]) expect(await walk("view=team", limit)).toEqual(["u6", "u3", "u4", "u5"]);
});

test("lists the customers of a tier, and names the tier beside each customer", async () => {
  await addCustomers(0, 40);
  await env.DB.exec(
    "insert or ignore into tiers (id, slot, name, kind, created_at, updated_at) values (3, 3, 'Gold', 'fixed', 0, 0)",
  );
  await env.DB.exec(
    "insert into wallets (user_id, tier_id) select user_id, iif(rowid % 3 = 0, 3, null) from profiles where user_id like 'u%'",
  );
  const { results } = await env.DB.prepare("select user_id as id from wallets where tier_id = 3 order by id").all();
  const inTier = results.map(({ id }) => id);
  expect(inTier.length).toBeGreaterThan(10);
  for (const limit of [5, 50]) expect(await walk("tier=3", limit)).toEqual(inTier);
  expect(await walk("tier=4", 50)).toEqual([]);
  const list = (query: string) =>
    listCustomers(connect(env.DB), readCustomerQuery(new URLSearchParams(query)), null, 50);
  expect((await list("tier=3")).rows.every(({ tier }) => tier === "Gold")).toBe(true);
  for (const { userId, tier } of (await list("sort=email")).rows) {
    expect(tier).toBe(inTier.includes(userId) ? "Gold" : null);
  }
  // A search finds customers of all tiers.
  expect((await list("tier=3&q=person")).rows.some(({ tier }) => tier === null)).toBe(true);
  expect(await exportedTiers("tier=3")).toEqual(new Set(["Gold"]));
});

test("finds customers by any part of their name or email, whatever the case, accents and quotes", async () => {
  await addCustomers(0, 40);
  await rename("u5", 'Zoë "Zed" O\'Neil-50%');
  for (const part of ["zoë", "ZOE", "oë", '"zed"', "o'neil", "neil-50%", 'Zoë "Zed" O\'Neil-50%']) {
    expect(await walk(`q=${encodeURIComponent(part)}`, 7), part).toEqual(part === "oë" ? [] : ["u5"]);
  }
  expect(await walk("q=7@TEST.ex", 7)).toEqual(["u37", "u27", "u17", "u7"]);
  expect(await walk("q=ra", 7)).toEqual(["u0"]);
  for (const nothing of ['"""', "***", "a OR b", "email:rare", "u5*", "\\", "%_%"]) {
    expect(await walk(`q=${encodeURIComponent(nothing)}`, 7), nothing).toEqual([]);
  }
});

test("forgets the parts of a name and of an email that were changed or deleted", async () => {
  await addCustomers(0, 3);
  await rename("u1", "Hidden Treasure");
  await rename("u1", "Plain Person");
  await rename("u2", "Buried Secret");
  await env.DB.prepare("delete from users where id = 'u2'").run();
  for (const part of ["treasure", "secret", "person2@"]) expect(await walk(`q=${part}`, 5), part).toEqual([]);
  const { results } = await env.DB.prepare("select block from profiles_search_data").all<{ block: number[] }>();
  const stored = results.map(({ block }) => new TextDecoder("latin1").decode(new Uint8Array(block))).join();
  for (const part of ["sure", "ecret"].flatMap((word) => [word.slice(0, 3), word.slice(-3)])) {
    expect(stored.includes(part), part).toBe(false);
  }
  expect(await walk("q=plain", 5)).toEqual(["u1"]);
});

test("goes through all customers by email, name and age, in both directions", async () => {
  await addCustomers(0, 30);
  for (const sort of ["email", "name", "created"]) {
    const up = await walk(`sort=${sort}`, 7);
    expect(new Set(up).size, sort).toBe(30);
    expect(await walk(`sort=-${sort}`, 7), sort).toEqual(up.toReversed());
  }
  expect(await walk("from=1970-01-02&to=1970-01-02&zone=UTC&sort=created", 7)).toEqual(
    Array.from({ length: 10 }, (_, at) => `u${at + 10}`),
  );
});

/** Returns what stands in the tiers' column of an export. */
async function exportedTiers(query: string): Promise<Set<string | undefined>> {
  const csv = await new Response(exportCustomers(connect(env.DB), new URLSearchParams(query))).text();
  const [head = "", ...rows] = csv.trim().split("\r\n");
  const at = head.split(",").indexOf("tier");
  return new Set(rows.map((row) => row.split(",")[at]));
}

async function rename(userId: string, name: string): Promise<void> {
  await env.DB.prepare("update profiles set full_name = ? where user_id = ?").bind(name, userId).run();
}

async function walk(query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const { rows, next } = await listCustomers(
      connect(env.DB),
      readCustomerQuery(new URLSearchParams(query)),
      after,
      limit,
    );
    ids.push(...rows.map(({ userId }) => userId).filter((id) => id.startsWith("u")));
    after = parseCursor(next);
  }
  return ids;
}

/** Gives each of these customers a card payment that was reversed. One in eight owes for it. */
async function addReversals(from: number, to: number, name = "first"): Promise<void> {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`;
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into checkouts (id, user_id, amount, paid, reversed, status, created_at, updated_at)
        select 'owing ' || ? || i, 'u' || i, 5, 5, 5, 'paid', i, i from n`,
    ).bind(name),
    env.DB.prepare(
      `${numbers} insert or ignore into wallets (user_id, owed) select 'u' || i, iif(i % 8 = 0, 5, 0) from n`,
    ),
  ]);
}

/** Adds customers, ten a day and each day's at the same moment. The first is found by "rare" in the email. */
async function addCustomers(from: number, to: number): Promise<void> {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`;
  const email = "case i when 0 then 'rare@test.example' else 'person' || i || '@test.example' end";
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into users (id, email, created_at) select 'u' || i, ${email}, i / 10 * ${DAY_MS} from n`,
    ),
    env.DB.prepare(
      `${numbers} insert into profiles (user_id, email, full_name) select 'u' || i, ${email}, 'Person ' || i % 7 from n`,
    ),
  ]);
}
