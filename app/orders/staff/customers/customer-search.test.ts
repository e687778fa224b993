import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { listCustomers, readCustomerQuery } from "./customer-list.server.ts";

const EACH = 3000;
const DAY = 24 * 60 * 60_000;

beforeEach(() => env.DB.prepare("delete from users where id like 'u%'").run());

test("reads as many rows for a page of customers or of a search, however many there are", async () => {
  const reads: number[][] = [];
  for (let filled = 0; filled < 2; filled++) {
    await addCustomers(filled * EACH, (filled + 1) * EACH);
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
  for (const [at, rows] of (reads[1] ?? []).entries()) expect(rows).toBeLessThanOrEqual((reads[0]?.[at] ?? 0) + 20);
  expect(Math.max(...(reads[1] ?? []))).toBeLessThanOrEqual(300);
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

/** Adds customers, ten a day and each day's at the same moment. The first is found by "rare" in the email. */
async function addCustomers(from: number, to: number): Promise<void> {
  const numbers = `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`;
  const email = "case i when 0 then 'rare@test.example' else 'person' || i || '@test.example' end";
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into users (id, email, created_at) select 'u' || i, ${email}, i / 10 * ${DAY} from n`,
    ),
    env.DB.prepare(
      `${numbers} insert into profiles (user_id, email, full_name) select 'u' || i, ${email}, 'Person ' || i % 7 from n`,
    ),
  ]);
}
