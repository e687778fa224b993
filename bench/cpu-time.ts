import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import bcrypt from "bcryptjs";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { processorTime } from "#tests/product/processor-time.ts";
import { openDatabase } from "#tools/run/database.ts";
import { type Figure, reportFigures } from "./figures.ts";

/**
 * `npm run bench -- cpu [--orders 100000]`: measures the processor time of the requests that compute the most, at their
 * limits, and of common ones, against `limits.cpu_ms` in wrangler.toml. Each figure is the most of five requests, and
 * includes what D1 and Durable Objects computed, which the platform counts apart: it is an upper bound. What workerd uses
 * while nobody asks is subtracted.
 */

const REQUESTS = 5;
const IDLE_MS = 5000;
/** A third of the limit of 30 s, because the platform's processors may be slower. */
const GOAL_MS = 10_000;
const MASS_LINES = 5000;
/** Just below MAX_CATALOG_BYTES of provider-client.server.ts. */
const CATALOG_BYTES = 8_000_000;
const PASSWORD = "a long password";
/** The most that the old system's hashes have; see docs/decisions/accounts/0007-legacy-sign-in.md. */
const BCRYPT_ROUNDS = 12;

const { values } = parseArgs({ options: { orders: { type: "string", default: "100000" } } });
const ORDERS = Number(values.orders);
const provider = await startLargeProvider();
const copy = await startLocalCopy({ API_REQUESTS_PER_MINUTE: "1000000" });
const { email: customer, apiKey } = copy.demo.customer;
try {
  const service = await prepare();
  const cookie = await signIn(copy.demo.customer);
  const admin = await signIn(copy.demo.admin);
  const catalogPath = await addProvider(admin);
  const lines = Array.from({ length: MASS_LINES }, (_, n) => `${service} | https://instagram.com/p/a-post-${n} | 100`);
  const sheet = (intent: string) =>
    send(
      `/dashboard/orders/mass?draft=mass-${randomUUID()}`,
      { intent, lines: lines.join("\n"), doubts: String(MASS_LINES) },
      cookie,
    );
  const logIn = (address: string) => send("/auth/v1/token?grant_type=password", { email: address, password: "wrong" });
  const work: Record<string, () => Promise<Response>> = {
    "/": () => fetch(`${copy.url}/?fresh=${randomUUID()}`),
    "/dashboard": () => get("/dashboard", cookie),
    "API: balance": () => send("/api/v2", { key: apiKey, action: "balance" }),
    "log-in refused": () => logIn(customer),
    [`log-in refused, bcrypt of ${BCRYPT_ROUNDS} rounds`]: () => logIn("old@bench.example"),
    [`mass order of ${MASS_LINES} lines, checked`]: () => sheet("check"),
    [`CSV of ${ORDERS} orders`]: () => get("/dashboard/orders.csv", cookie),
    [`account export with ${ORDERS} orders`]: () => get("/dashboard/account/export", cookie),
    [`catalog of ${CATALOG_BYTES / 1e6} MB, previewed`]: () => send(catalogPath, { intent: "preview" }, admin),
    [`mass order of ${MASS_LINES} lines, placed`]: () => sheet("place"),
  };
  const idle = await idleShare();
  const figures: Figure[] = [];
  for (const [name, request] of Object.entries(work)) {
    let most = 0;
    for (let n = 0; n < REQUESTS; n++) {
      const [processor, started] = [processorTime(), performance.now()];
      const response = await request();
      const { length } = await response.text();
      const used = processorTime() - processor - idle * (performance.now() - started);
      if (response.status >= 500) throw new Error(`${name}: ${response.status}`);
      console.log(`${name}: ${response.status}, ${length} characters, ${used.toFixed(0)} ms`);
      most = Math.max(most, used);
    }
    figures.push({ name, value: most, unit: "ms", goal: { atMost: GOAL_MS } });
  }
  reportFigures(figures);
} finally {
  await copy.remove();
  provider.close();
}

/** The share of a processor that workerd uses while nobody asks. */
async function idleShare(): Promise<number> {
  const before = processorTime();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (processorTime() - before) / IDLE_MS;
}

/** Fills the database while the copy is stopped, and returns a service that costs nothing and that people deliver. */
async function prepare(): Promise<number> {
  await copy.stop();
  const opened = await openDatabase({ remote: false, stateDir: copy.stateDir });
  const hash = await bcrypt.hash(PASSWORD, BCRYPT_ROUNDS);
  const account = { id: randomUUID(), email: "old@bench.example", hash, fullName: "", createdAt: Date.now() };
  await storeLegacyAccounts(opened.binding, [account]);
  await opened.close();
  const database = openMainDatabase(copy.stateDir);
  const added = database
    .prepare(
      "insert into services (network, category, name, rate, min, max) values ('Instagram', 'Likes', 'Free', 0, 1, 1000)",
    )
    .run();
  database
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
         request_digest, source, fulfillment, attempts, created_at, updated_at)
       select (select id from users where email = ?), ?, 'Default', 'https://instagram.com/p/post-' || i, 1000, 0,
         'Completed', 0, 'bench-' || i, '', 'api', 'manual', 1, i, i from n`,
    )
    .run(ORDERS, customer, Number(added.lastInsertRowid));
  database.close();
  await copy.start();
  return Number(added.lastInsertRowid);
}

/** Returns the path of its page. */
async function addProvider(cookie: string): Promise<string> {
  const fields = {
    name: "Large",
    apiUrl: provider.url,
    key: "any",
    enabled: "",
    concurrentCalls: "1",
    once: randomUUID(),
  };
  const response = await send("/admin/providers", { ...fields, intent: "provider" }, cookie);
  const path = response.headers.get("Location");
  if (!path) throw new Error(`no provider added: ${response.status}`);
  const rule = { intent: "add-rule", category: "", margin: "10", roundTo: "0.01", minimum: "0" };
  await send(path, rule, cookie);
  return path;
}

async function signIn({ email, password }: { email: string; password: string }): Promise<string> {
  const response = await send("/auth/login", { email, password });
  const cookies = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  if (cookies.length === 0) throw new Error(`not logged in: ${response.status}`);
  return cookies.join("; ");
}

function get(path: string, cookie: string): Promise<Response> {
  return fetch(`${copy.url}${path}`, { headers: { Cookie: cookie }, redirect: "manual" });
}

function send(path: string, fields: Record<string, string>, cookie = ""): Promise<Response> {
  const isJson = path.startsWith("/auth/v1/");
  return fetch(`${copy.url}${path}`, {
    method: "POST",
    headers: { Origin: copy.url, Cookie: cookie, ...(isJson && { "Content-Type": "application/json" }) },
    body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields),
    redirect: "manual",
  });
}

/** A provider whose catalog is as large as one may be. */
async function startLargeProvider() {
  const serviceOf = (n: number) =>
    JSON.stringify({
      ...{ service: n, name: `Service ${n}, with a name as long as names are in this field`, type: "Default" },
      ...{ category: `Category ${n % 40}`, rate: "0.90", min: "10", max: "10000", refill: true, cancel: false },
    });
  const count = Math.floor(CATALOG_BYTES / (serviceOf(10_000).length + 1));
  const catalog = `[${Array.from({ length: count }, (_, n) => serviceOf(n + 1)).join(",")}]`;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const isCatalog = new URLSearchParams(body).get("action") === "services";
    response
      .setHeader("Content-Type", "application/json")
      .end(isCatalog ? catalog : `{"balance":"100","currency":"USD"}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/v2`, close: () => server.close() };
}
