import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import bcrypt from "bcryptjs";
import { beforeEach, expect, test, vi } from "vitest";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const SITE = "https://growline.example";
/** Words of SQL, of D1 and of drizzle. */
const RAW = /sqlite|d1_|(?<!<)select |insert |update "|no such|constraint|params|scrypt/i;

// The log has those words.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

test("cannot read the database's words in a refused log-in", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const input = { email, password: "a legacy password" };
  const lookup = await withoutTable(env.DB, "profiles", () => logIn(loadContext(), newVisit(), input));
  expect(lookup).toMatchObject({ status: 503, text: "Database error: The database could not be reached" });

  const hash = await bcrypt.hash(input.password, 4);
  await storeLegacyAccounts(env.DB, [{ id: crypto.randomUUID(), email, hash, fullName: "", createdAt: 1 }]);
  await env.DB.exec(
    `create trigger no_migration before update of password_hash on users begin select raise(abort, 'CHECK constraint failed: secret'); end`,
  );
  try {
    const migration = await logIn(loadContext(), newVisit(), input);
    expect(migration).toMatchObject({ status: 503, text: "Failed to create auth user: The data could not be stored" });
  } finally {
    await env.DB.exec("drop trigger no_migration");
  }
});

test("cannot read the database's words on a page, in its data or in an API response", async () => {
  const { cookie } = await signedIn("admin");
  const json = { "Content-Type": "application/json" };
  const requests: [path: string, init: RequestInit<RequestInitCfProperties>][] = [
    ["/dashboard/orders", { headers: { Cookie: cookie } }],
    ["/dashboard/orders.data", { headers: { Cookie: cookie } }],
    ["/admin/orders", { headers: { Cookie: cookie } }],
    ["/api/status?order=1", { headers: { Authorization: "Bearer gl_none" } }],
    ["/api/v2", { method: "POST", headers: json, body: JSON.stringify({ key: "x", action: "balance" }) }],
    ["/auth/v1/token?grant_type=refresh_token", { method: "POST", headers: json, body: `{"refresh_token":"a.b.c"}` }],
  ];
  for (const table of ["orders", "api_keys", "auth_sessions"]) {
    await withoutTable(env.DB, table, async () => {
      for (const [path, init] of requests) {
        const response = await SELF.fetch(SITE + path, init);
        const said = response.headers.get("Content-Type")?.includes("text/html") ? /<main[\s\S]*<\/main>/ : /[\s\S]*/;
        expect(said.exec(await response.text())?.[0] ?? "", `${path} without ${table}`).not.toMatch(RAW);
      }
    });
  }
});
