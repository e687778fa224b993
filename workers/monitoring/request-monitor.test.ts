import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { userDigest } from "#app/crypto/user-digest.server.ts";
import { requestHours } from "#app/db/schema.server.ts";
import { readRequestHours } from "#app/monitoring/requests/request-hours.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "../app.ts";

const SITE = "https://growline.example";

type Line = Record<string, unknown>;

/** Sends a request to the worker, and returns the response, all lines it logged and the data points it wrote. */
async function send(path: string, init: RequestInit = {}, settings: Partial<Env> = {}) {
  const lines: string[] = [];
  const keep = (line: unknown) => void lines.push(String(line));
  const spies = [
    vi.spyOn(console, "log").mockImplementation(keep),
    vi.spyOn(console, "error").mockImplementation(keep),
    vi.spyOn(console, "warn").mockImplementation(keep),
  ];
  const points: AnalyticsEngineDataPoint[] = [];
  const METRICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
  const context = createExecutionContext();
  const request = new Request(SITE + path, init) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, { ...env, METRICS, ...settings }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  for (const spy of spies) spy.mockRestore();
  const requests = lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ message }) => message === "request");
  return { response, text, lines, points, requests };
}

test("logs a request with its route, cost and user, and nothing of what was asked for", async () => {
  const { cookie, userId, email } = await signedIn("customer");
  const { requests, lines, response } = await send("/dashboard/orders/987654?token=tok-secret&q=jane", {
    headers: { Cookie: cookie, Referer: `${SITE}/auth/verify?token=tok-secret` },
  });
  const [line = {}] = requests;
  expect(requests).toHaveLength(1);
  expect(line).toMatchObject({
    level: "info",
    request_id: response.headers.get("X-Request-Id"),
    route: "/dashboard/orders/:id",
    method: "GET",
    status: 404,
    user: userDigest(env.SESSION_SECRET, userId),
    sample: 1,
  });
  for (const name of ["ms", "queries", "round_trips", "rows_read", "rows_written"]) {
    expect(line[name], name).toBeTypeOf("number");
  }
  expect(line.queries).toBeGreaterThan(0);
  expect(line.rows_read).toBeGreaterThan(0);
  const all = lines.join("\n");
  for (const secret of ["987654", "tok-secret", "jane", userId, email, cookie, SITE]) expect(all).not.toContain(secret);
});

test("logs one line of a path that can't be decoded, whatever it is and however long", async () => {
  for (const path of ["/%E0%A4%Atok-secret", "/dashboard/%tok-secret.data", `/${"%zz".repeat(2000)}tok-secret`]) {
    const { requests, lines, response } = await send(path);
    expect(response.status, path).toBe(400);
    expect(requests).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain("secret");
  }
});

test("names the user of an API key, and nobody for a stranger", async () => {
  const { userId } = await signedIn("customer");
  const created = await createApiKey(db, env, userId, { name: "test", scopes: ["read"], sessionId: null });
  if (!created.ok) throw new Error("no key");
  const balance = await send("/api/balance", { headers: { Authorization: `Bearer ${created.key}` } });
  expect(balance.requests[0]).toMatchObject({ status: 200, user: userDigest(env.SESSION_SECRET, userId) });
  expect(balance.lines.join()).not.toContain(created.key);
  expect((await send("/api/balance")).requests[0]).toMatchObject({ status: 401, user: null });
});

test("logs the set share of requests, but every failed and slow one", async () => {
  const none = { REQUEST_LOG_SHARE: "0" };
  expect((await send("/robots.txt", {}, none)).requests).toEqual([]);
  const failed = await withoutTable(env.DB, "services", () => send("/sitemap.xml", {}, none));
  expect(failed.response.status).toBe(500);
  expect(failed.requests).toMatchObject([{ level: "warn", status: 500, route: "/sitemap.xml", sample: 1 }]);

  const started = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementationOnce(() => started - 1000);
  const slow = await send("/robots.txt", {}, none);
  clock.mockRestore();
  expect(slow.requests).toMatchObject([{ level: "warn", status: 200, sample: 1 }]);

  const random = vi.spyOn(Math, "random");
  random.mockReturnValue(0.09);
  expect((await send("/robots.txt", {}, { REQUEST_LOG_SHARE: "nonsense" })).requests).toMatchObject([{ sample: 0.1 }]);
  random.mockReturnValue(0.11);
  expect((await send("/robots.txt", {}, { REQUEST_LOG_SHARE: "" })).requests).toEqual([]);
  random.mockRestore();
});

test("writes one data point a request, without anybody's data, and ignores a dataset that fails", async () => {
  const { cookie, userId } = await signedIn("customer");
  const { points } = await send("/dashboard/orders/5?q=jane", { headers: { Cookie: cookie } });
  const route = "/dashboard/orders/:id";
  expect(points).toHaveLength(1);
  expect(points[0]).toMatchObject({ indexes: [route], blobs: ["request", "dashboard", route, "GET", "404"] });
  expect(points[0]?.doubles).toHaveLength(5);
  expect(JSON.stringify(points)).not.toContain(userId);

  const METRICS = {
    writeDataPoint() {
      throw new Error("too many data points");
    },
  };
  expect((await send("/robots.txt", {}, { METRICS })).response.status).toBe(200);
});

test("adds requests to their hour, and keeps them while the database is away", async () => {
  await db.delete(requestHours);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now");
  const counts = { REQUEST_COUNTS: "on" };
  const at = async (minutes: number, run: () => Promise<unknown>) => {
    clock.mockImplementation(() => now + minutes * 60_000);
    await run();
  };
  const ask = () => send("/robots.txt", {}, counts);
  await at(0, () => withoutTable(env.DB, "request_hours", ask));
  await at(0.5, ask);
  expect(await db.$count(requestHours)).toBe(0);
  await at(2, ask);
  await at(2.5, ask);
  clock.mockRestore();
  const hours = await readRequestHours(db, now - HOUR_MS, now + 2 * HOUR_MS);
  expect(hours.map(({ area }) => area)).toContain("pages");
  expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
  await db.delete(requestHours);
});
