import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RETRY_AFTER_SECONDS } from "#app/db/bounded-database.server.ts";
import { auditLog, orders } from "#app/db/schema.server.ts";
import { digestOfKey, gateOf } from "#app/orders/api/api-keys.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { routesWithAction, routesWithLoader, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
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

function send(path: string, init: RequestInit = {}, ctx = createExecutionContext(), on = standing): Promise<Response> {
  const headers = { ...SAME_SITE, ...(init.headers as Record<string, string>) };
  const request = new Request(`${SITE}${path}`, { redirect: "manual", ...init, headers });
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], on, ctx);
}

function post(path: string, cookie: string, fields: Record<string, string>, on = standing): Promise<Response> {
  const init = { method: "POST", headers: { Cookie: cookie, Accept: "text/html" }, body: new URLSearchParams(fields) };
  return send(path, init, undefined, on);
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
  for (const [at, begin] of [stalled.beforeCalls, stalled.fail].entries()) {
    begin();
    // Each in one of the two in `npm test`. All at once, because each waits.
    const tried = [...reads, ...writes].filter((_, route) => route % 2 === at || atScale(0, 1) === 1);
    const answered = tried.map(async ([method, path]) => {
      const body =
        method === "POST" ? new URLSearchParams({ email: "a@b.example", password: "a long password" }) : null;
      const response = await send(path.replace(/:\w+/g, "1"), { method, body, headers: { Cookie: cookie } });
      const text = await response.text();
      expect(
        response.status === 503 || response.status < 500,
        `${method} ${path}: ${response.status} ${text.slice(0, 200)}`,
      ).toBe(true);
      if (response.status !== 503) return;
      expect(response.headers.get("Retry-After"), `${method} ${path}`).not.toBeNull();
      unavailable++;
    });
    await Promise.all(answered);
    await stalled.end();
  }
  // All that asks who is logged in.
  expect(unavailable).toBeGreaterThan(atScale(0.5, 1) * (reads.length + writes.length));
}, 180_000);

const PAGE = { Accept: "text/html" };
/** Enough for everything else that a request calls on a busy machine: what a call took counts from a second on. */
const LONG_MS = 2000;

const STOPPED: Record<string, (serviceId: number) => string> = {
  "a page": () => "/dashboard/orders",
  "an export": () => "/dashboard/orders.csv",
  "an export of the console": () => "/admin/exports/customers",
  "a page that an order is carried to": (serviceId) =>
    `/dashboard/top-up?service=${serviceId}&link=https://x.example/1&quantity=1000`,
};

test("answers for pages and exports when the databases stand still from any later statement on", async () => {
  const { cookie } = await signedIn("admin");
  const serviceId = await service();
  const get = (path: string, on: Env) => send(path, { headers: { ...PAGE, Cookie: cookie } }, undefined, on);
  const unavailable: Record<string, number> = {};
  const stops: { name: string; path: string; at: number }[] = [];
  for (const [name, pathOf] of Object.entries(STOPPED)) {
    const path = pathOf(serviceId);
    stalled.beforeCalls((_, number) => {
      stops.push({ name, path, at: number - 1 });
      return false;
    });
    await (await get(path, standing)).text();
    await stalled.end();
    unavailable[name] = 0;
  }
  // All at once, because each waits for a second.
  const answered = stops.map(async ({ name, path, at }) => {
    const own = stalls();
    own.beforeCalls((_, number) => number > at);
    const response = await get(path, own.in(env));
    // Rejects if a stream breaks off.
    const text = await response.text();
    await own.end();
    if (response.status === 503) {
      expectUnavailable(response);
      unavailable[name] = (unavailable[name] ?? 0) + 1;
    } else expect([response.status, text.length > 0], `${name} after ${at} calls`).toEqual([200, true]);
  });
  await Promise.all(answered);
  // The session check, and what is behind it.
  for (const [name, times] of Object.entries(unavailable)) expect(times, name).toBeGreaterThan(1);
});

type Form = {
  path: (serviceId: number, customerId: string) => string;
  fields: (serviceId: number) => Record<string, string>;
  key: string;
  held: string;
};
/** Forms with a key, and the statement that stands still. */
const FORMS: Record<string, Form> = {
  "the order form": {
    path: () => "/dashboard",
    fields: (serviceId) => ({
      intent: "order",
      service: String(serviceId),
      link: "https://instagram.com/p/1",
      quantity: "1000",
      shownPrice: "900000 per 1000",
    }),
    key: "idempotencyKey",
    held: 'insert into "orders"',
  },
  "the top-up page": {
    path: (serviceId) =>
      `/dashboard/top-up?service=${serviceId}&link=https%3A%2F%2Finstagram.com%2Fp%2F1&quantity=1000`,
    fields: () => ({ intent: "order", charge: "900000" }),
    key: "idempotencyKey",
    held: 'insert into "orders"',
  },
  "the form of a balance": {
    path: (_, customerId) => `/admin/customers/${customerId}`,
    fields: () => ({ intent: "adjust", direction: "credit", amount: "2", reason: "Goodwill" }),
    key: "once",
    held: 'insert into "audit_log"',
  },
};

// Beside the next two: each waits.
test.concurrent("shows each form with its key, without scripts, when its write used up the request's wait", async () => {
  // All at once, because each waits.
  await Promise.all(Object.entries(FORMS).map(([name, form]) => expectKeyKept(name, form)));
});

async function expectKeyKept(name: string, { path, fields, key, held }: Form): Promise<void> {
  const { cookie, userId } = await signedIn("admin");
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  // Not the one that a new form shows.
  await service();
  const serviceId = await service();
  const customer = await customerWith(MICRO);
  const given = crypto.randomUUID();
  const sent = { ...fields(serviceId), [key]: given };
  const url = path(serviceId, customer.userId);
  const own = stalls();
  own.beforeCalls((statements) => statements.some((text) => text.startsWith(held)), LONG_MS);
  const shown = await post(url, cookie, sent, own.in(env));
  const html = await shown.text();
  expect(own.calls, name).toBe(1);
  await own.end();
  expectUnavailable(shown);
  expect(html, name).toMatch(new RegExp(`name="${key}"[^>]*value="${given}"`));
  if (url === "/dashboard") expect(html).toMatch(new RegExp(`name="service"[^>]*value="${serviceId}"`));
  // The write that was given up is not carried out, and the form that is sent again is, once.
  const again = await post(url, cookie, sent);
  expect(again.status, name).toBeLessThan(400);
  const placed = await db.$count(orders, eq(orders.userId, userId));
  const adjusted = await db.$count(auditLog, eq(auditLog.subjectId, customer.userId));
  expect(key === "once" ? adjusted : placed, name).toBe(1);
}

test.concurrent("says that an order is placed although what its form shows next stands still", async () => {
  const { cookie, userId } = await signedIn("customer");
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const fields = FORMS["the order form"]?.fields(await service()) ?? {};
  // From then on the isolate knows the service's terms, and the next order is placed by one statement.
  await post("/dashboard", cookie, { ...fields, link: "https://instagram.com/p/2", idempotencyKey: "web-before" });
  const own = stalls();
  let isPlaced = false;
  // The service that the form shows is read next, for two seconds. All else has as long as a busy machine needs.
  own.beforeCalls((statements) => {
    const isHeld = isPlaced && own.calls === 0;
    isPlaced ||= statements.some((text) => text.startsWith('insert into "orders"'));
    return isHeld;
  }, 60 * LONG_MS);
  const response = await post("/dashboard", cookie, { ...fields, idempotencyKey: "web-placed" }, own.in(env));
  await own.end();
  expect([response.status, own.calls]).toEqual([200, 1]);
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(2);
});

test.concurrent("lets what streams wait for each statement, whatever the request has used up", async () => {
  const { cookie } = await signedIn("customer");
  const ctx = createExecutionContext();
  const own = stalls();
  own.beforeCalls((statements) => statements.some((text) => /^insert into "security_events"/.test(text)));
  const response = await send("/dashboard/account/export", { headers: { Cookie: cookie } }, ctx, own.in(env));
  expect(response.status).toBe(200);
  // The event behind the response is given up.
  await waitOnExecutionContext(ctx);
  expect(own.calls).toBe(1);
  await own.end();
  expect(await response.json()).toMatchObject({ orders: [], ledger: [] });
});

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
