import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openPage } from "#tests/open-page.ts";
import { routesWithAction } from "#tests/workerd/all-routes.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { PASSWORD, storedAccount } from "#tests/workerd/new-account.ts";

const ACCOUNTS = 1000;
/** A statement that reads more has no index for what it asks, since a form is about one person. */
const MOST_ROWS = 40;

test("reads a few rows for whatever a stranger sends, however many accounts there are", async () => {
  const { email } = await storedAccount();
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ACCOUNTS})`;
  await env.DB.batch(
    [
      "users (id, email, password_hash, created_at) select 'u' || i, i || '@crowd.example', 'a hash', 1 from n",
      "profiles (user_id, email, full_name) select 'u' || i, i || '@crowd.example', 'Ada' from n",
    ].map((rows) => env.DB.prepare(`${numbers} insert into ${rows}`)),
  );
  const { pages, resources } = routesWithAction();
  const asked = [...pages, ...resources].filter((path) => !/:|^\/(dashboard|admin|debug)\b/.test(path));
  const read: string[] = [];
  const scans: [route: string, statement: string, rows: number][] = [];
  const given = {
    email,
    password: PASSWORD,
    full_name: "Ada",
    token: "x".repeat(43),
    refresh_token: "x",
    code: "123456",
  };
  for (const route of asked) {
    const path = route === "/auth/v1/token" ? `${route}?grant_type=password` : route;
    for (const sent of ["form", "json"] as const) {
      const { database, byStatement } = countedDatabase(env.DB);
      const fields = { ...given, fullName: "Ada", data: { full_name: "Ada" } };
      const body = sent === "form" ? new URLSearchParams(given) : JSON.stringify(fields);
      await openPage(path, { cookie: "", database, body });
      if (byStatement.size > 0) read.push(route);
      scans.push(...longReads(route, byStatement));
    }
  }
  expect(scans).toEqual([]);
  const doors = [
    "/auth/login",
    "/auth/signup",
    "/reset-password",
    "/auth/v1/signup",
    "/auth/v1/recover",
    "/auth/v1/token",
  ];
  expect(read).toEqual(expect.arrayContaining(doors));
});

function longReads(route: string, statements: Map<string, StatementCounts>): [string, string, number][] {
  return [...statements].flatMap(([text, { rowsRead }]) => (rowsRead > MOST_ROWS ? [[route, text, rowsRead]] : []));
}
