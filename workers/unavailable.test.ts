import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RETRY_AFTER_SECONDS } from "#app/db/bounded-database.server.ts";
import { digestOfKey, gateOf } from "#app/orders/api/api-keys.server.ts";
import { MICRO } from "#app/product.ts";
import { routesWithAction, routesWithLoader, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import worker from "./app.ts";

const stalled = stalls();
const standing = stalled.in(env);

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => stalled.end());

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...SAME_SITE, ...(init.headers as Record<string, string>) };
  const request = new Request(`${SITE}${path}`, { redirect: "manual", ...init, headers });
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], standing, createExecutionContext());
}

function expectUnavailable(response: Response): void {
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, String(RETRY_AFTER_SECONDS)]);
}

test("answers each route without an error of its own while the databases stand still, and in an outage", async () => {
  const { cookie } = await signedIn("admin");
  const { pages, resources } = routesWithAction();
  const reads = routesWithLoader().map((path) => ["GET", path] as const);
  const writes = [...pages, ...resources].map((path) => ["POST", path] as const);
  let unavailable = 0;
  for (const begin of [stalled.beforeCalls, stalled.fail]) {
    begin();
    for (const [method, path] of [...reads, ...writes]) {
      const body =
        method === "POST" ? new URLSearchParams({ email: "a@b.example", password: "a long password" }) : null;
      const response = await send(path.replace(/:\w+/g, "1"), { method, body, headers: { Cookie: cookie } });
      const text = await response.text();
      expect(
        response.status === 503 || response.status < 500,
        `${method} ${path}: ${response.status} ${text.slice(0, 200)}`,
      ).toBe(true);
      if (response.status !== 503) continue;
      expect(response.headers.get("Retry-After"), `${method} ${path}`).not.toBeNull();
      unavailable++;
    }
    await stalled.end();
  }
  // All that asks who is logged in.
  expect(unavailable).toBeGreaterThan(reads.length + writes.length);
}, 180_000);

test("says it in the shape that each client reads", async () => {
  const { cookie } = await signedIn("customer");
  const { apiKey } = await customerWith(MICRO);
  stalled.beforeCalls();
  const order = { service: "1", link: "https://instagram.com/p/1", quantity: "100" };

  const v1 = await send("/api/v1/orders", { headers: { Authorization: `Bearer ${apiKey}` } });
  expectUnavailable(v1);
  expect(v1.headers.get("Content-Type")).toContain("application/problem+json");
  expect(await v1.json()).toMatchObject({ status: 503, code: "unavailable", request_id: expect.any(String) });

  const v2 = await send("/api/v2", {
    method: "POST",
    body: new URLSearchParams({ key: apiKey, action: "add", ...order }),
  });
  expectUnavailable(v2);
  expect(await v2.json()).toEqual({ error: expect.any(String) });

  const page = await send("/dashboard/orders", { headers: { Cookie: cookie, Accept: "text/html" } });
  expectUnavailable(page);
  expect(page.headers.get("Content-Type")).toContain("text/html");
  expect(await page.text()).toContain("answering at the moment");

  expectUnavailable(await send("/dashboard/orders.data", { headers: { Cookie: cookie } }));

  const token = await send("/auth/v1/token?grant_type=password", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "a@b.example", password: "a long password" }),
  });
  expectUnavailable(token);
  expect(await token.json()).toMatchObject({ code: 503, error_code: "unexpected_failure", msg: expect.any(String) });

  const csv = await send("/dashboard/orders.csv", { headers: { Cookie: cookie, Accept: "text/html,*/*" } });
  expectUnavailable(csv);
  expect(csv.headers.get("Content-Type")).toContain("text/plain");

  const socket = await send("/admin/inbox/socket", { headers: { Cookie: cookie, Upgrade: "websocket" } });
  expectUnavailable(socket);
});

test("says it where the database stands still for the object that knows the key", async () => {
  const { apiKey } = await customerWith(MICRO);
  const gate = gateOf(env, digestOfKey(apiKey) ?? "");
  await runInDurableObject(gate, (instance) => void Object.assign(instance, { env: standing }));
  stalled.beforeCalls();
  const balance = () => send("/api/balance", { headers: { Authorization: `Bearer ${apiKey}` } });
  expectUnavailable(await balance());
  await stalled.end();
  expect((await balance()).status).toBe(200);
});

test("answers at once after a stall", async () => {
  const { cookie } = await signedIn("customer");
  stalled.beforeCalls();
  const waiting = Array.from({ length: 20 }, () => send("/dashboard/orders", { headers: { Cookie: cookie } }));
  for (const response of await Promise.all(waiting)) expectUnavailable(response);
  await stalled.end();
  expect((await send("/dashboard/orders", { headers: { Cookie: cookie } })).status).toBe(200);
});
