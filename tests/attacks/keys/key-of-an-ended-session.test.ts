import { env } from "cloudflare:workers";
import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { waitOfNight } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { apiKeys, webhookEndpoints } from "#app/db/schema.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { action as makeTestKey } from "#app/routes/api/docs.tsx";
import { action as changeApi } from "#app/routes/dashboard/api-page.tsx";
import { db } from "#tests/workerd/customer.ts";
import { ownerOf, type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";

test.each([
  ["/dashboard/api", { intent: "create-key", name: "Planted", may: "order" }],
  ["/dashboard/api", { intent: "create-webhook", url: "https://evil.example/hook", wantsOrders: "on" }],
  ["/docs/api", {}],
])("cannot leave a key or a webhook by a request in flight while the session ends: %s %o", async (path, fields) => {
  const thief = await signedIn();
  const response = await submitWhileEnding(thief, path, fields, /^insert into "?(api_keys|webhook_endpoints)"?/i);
  expect(JSON.stringify(response)).toContain("Your session has ended. Log in again.");
  expect(await db.$count(apiKeys, eq(apiKeys.userId, thief.userId))).toBe(0);
  expect(await db.$count(webhookEndpoints, eq(webhookEndpoints.userId, thief.userId))).toBe(0);
});

test("cannot turn a webhook on by a request in flight while the session ends", async () => {
  const thief = await signedIn();
  const created = await createEndpoint(db, env, await ownerOf(thief.userId), "https://evil.example/hook");
  const id = created.ok ? created.id : "";
  await db.update(webhookEndpoints).set({ disabledAt: 1 }).where(eq(webhookEndpoints.id, id));
  const fields = { intent: "enable-webhook", id };
  const thrown = submitWhileEnding(thief, "/dashboard/api", fields, /^update "webhook_endpoints"/);
  await expect(thrown).rejects.toMatchObject({ init: { status: 404 } });
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id));
  expect(endpoint?.disabledAt).toBe(1);
});

/** Submits a form with a session that ends just before the statement that `at` matches. */
async function submitWhileEnding(
  { userId, cookie }: SignedInAccount,
  path: string,
  fields: Record<string, string>,
  at: RegExp,
): Promise<unknown> {
  let isReached = false;
  const database = pausing(env.DB, at, async () => {
    isReached = true;
    await endSessions(db, userId);
  });
  const request = new Request(ORIGIN + path, {
    method: "POST",
    headers: { Cookie: cookie },
    body: new URLSearchParams(fields),
  });
  // Without the deadline, which would put single writes in a batch.
  const context = loadContext({ db: connect(database, undefined, waitOfNight()) });
  const action = path === "/docs/api" ? makeTestKey : changeApi;
  try {
    return await action({ request, context, params: {} } as ActionFunctionArgs);
  } finally {
    expect(isReached).toBe(true);
  }
}

/** Returns a database that runs `meanwhile` before each statement that `at` matches. */
function pausing(database: D1Database, at: RegExp, meanwhile: () => Promise<void>): D1Database {
  const pauses = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        if (name === "bind") return (...values: unknown[]) => pauses(target.bind(...values));
        return async (...values: unknown[]) => {
          await meanwhile();
          return member.apply(target, values);
        };
      },
    });
  return new Proxy(database, {
    get(target, name) {
      if (name !== "prepare") return (Reflect.get(target, name) as CallableFunction).bind(target);
      return (query: string) => (at.test(query) ? pauses(target.prepare(query)) : target.prepare(query));
    },
  });
}
