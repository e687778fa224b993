import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startLocalCopy } from "#tests/product/local-copy.ts";

/**
 * `npm run faults:requests [-- COUNT]`: generated bad requests to every API route. Each must get a 4xx or an error
 * text, never a 5xx, and afterwards no row has changed. The seed is printed; SEED repeats a run.
 */

const root = join(import.meta.dirname, "..", "..");
const count = Number(process.argv[2] ?? 100_000);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CONNECTIONS = 32;
const SHOWN_FAULTS = 20;

const random = mulberry32(seed);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const ROUTES = [
  "/api/v1/create_order",
  "/api/v2",
  "/api/v2/",
  "/api/order",
  "/api/services",
  "/api/balance",
  "/api/status",
  "/api/nothing",
];
const ACTIONS = [
  "services",
  "add",
  "status",
  "balance",
  "refill",
  "refill_status",
  "cancel",
  "",
  "__proto__",
  "constructor",
  "ADD",
];
const FIELDS = [
  "service",
  "link",
  "quantity",
  "runs",
  "interval",
  "comments",
  "usernames",
  "order",
  "orders",
  "refill",
  "refills",
  "min",
  "max",
  "posts",
  "delay",
  "expiry",
  "answer_number",
  "request_id",
  "__proto__",
  "toString",
];
// None of these makes a valid order, because none of them is a valid link.
const VALUES: unknown[] = [
  "",
  " ",
  "0",
  "-1",
  "1e309",
  "NaN",
  "99999999999999999999",
  "1.5",
  "0x10",
  "١٢٣",
  "null",
  "undefined",
  "true",
  "'; drop table orders; --",
  "\u0000",
  "\ud800",
  "\u202e",
  "x".repeat(3000),
  "a\r\nb\r\n",
  "javascript:alert(1)",
  "http://",
  "//",
  0,
  -1,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  true,
  false,
  null,
  [],
  {},
  [[]],
  [null],
  [{}],
  { $gt: 0 },
  [1, "2", [3]],
  "1,2,x,",
  ",".repeat(500),
];
const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "text/plain",
  "application/xml",
  "",
  "application/json; charset=utf-16",
];

// All requests use one key.
const copy = await startLocalCopy({ API_REQUESTS_PER_MINUTE: "1000000" });
let failed = false;
try {
  const before = await fingerprint();
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (sent < count) {
        sent++;
        const { path, init } = badRequest();
        const response = await fetch(copy.url + path, init).catch((error: unknown) => String(error));
        const status = typeof response === "string" ? 0 : response.status;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (typeof response !== "string") await response.arrayBuffer();
        if (status === 0 || status >= 500) faults.push(`${status} ${path} ${JSON.stringify(init).slice(0, 400)}`);
      }
    }),
  );
  const after = await fingerprint();
  console.log(
    `seed ${seed}, ${sent} requests: ${[...statuses]
      .sort()
      .map(([status, n]) => `${status}: ${n}`)
      .join(", ")}`,
  );
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.log(fault);
  if (before !== after) console.log(`rows changed:\n${before}\n${after}`);
  failed = faults.length > 0 || before !== after;
} finally {
  await copy.remove();
}
console.log(failed ? "FAILED" : "No 5xx, and no row changed.");
process.exitCode = failed ? 1 : 0;

function badRequest(): { path: string; init: RequestInit } {
  const key = pick([
    copy.demo.customer.apiKey,
    copy.demo.customer.apiKey,
    copy.demo.customer.apiKey,
    "",
    "gl_live_x",
    "ключ",
  ]);
  const fields: Record<string, unknown> = Object.fromEntries(
    Array.from({ length: Math.floor(random() * 6) }, () => [pick(FIELDS), pick(VALUES)]),
  );
  if (random() < 0.8) fields.action = pick(ACTIONS);
  if (random() < 0.3) fields.service = pick([1, "1", 7, 9999]);
  const method = pick(["POST", "POST", "POST", "GET", "PUT", "DELETE", "PATCH"]);
  const type = pick(TYPES);
  const headers: Record<string, string> = type ? { "Content-Type": type } : {};
  if (random() < 0.6) headers.Authorization = `Bearer ${encodeURIComponent(key)}`;
  else fields.key = key;
  if (random() < 0.2) headers["Idempotency-Key"] = pick(["a b", "", "x".repeat(300), "ok-1"]);
  const query = random() < 0.1 ? `?${new URLSearchParams({ [pick(FIELDS)]: String(pick(VALUES)) })}` : "";
  const path = pick(ROUTES) + query;
  return method === "GET"
    ? { path, init: { method, headers } }
    : { path, init: { method, headers, body: body(type, fields) } };
}

function body(type: string, fields: Record<string, unknown>): string {
  const kind = random();
  if (kind < 0.1)
    return pick([
      "{",
      "[]",
      "null",
      '"x"',
      "{}{}",
      "\u0000\u0001",
      "%",
      "a=%E0%A4%A",
      "[".repeat(5000),
      `{"a":${'{"b":'.repeat(2000)}1${"}".repeat(2001)}`,
    ]);
  if (type.includes("json") || kind < 0.5) return JSON.stringify(fields);
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
}

/** Counts and sums of everything that a request could change. The time a key was last used is meant to change. */
async function fingerprint(): Promise<string> {
  const sql = `select (select count(*) from orders) as orders, (select count(*) from ledger) as ledger, (select sum(balance) from wallets) as balance,
    (select count(*) from refills) as refills, (select count(*) from cancellations) as cancellations, (select count(*) from users) as users,
    (select count(*) from services) as services, (select count(*) from api_keys where revoked_at is null) as api_keys`;
  // Stops the copy, because another process reads the database.
  await copy.stop();
  const wrangler = join(root, "node_modules", ".bin", "wrangler");
  const args = ["d1", "execute", "DB", "--local", "--persist-to", copy.stateDir, "--json", "--command", sql];
  const [{ results }] = JSON.parse(execFileSync(wrangler, args, { cwd: root, encoding: "utf8" })) as [
    { results: object[] },
  ];
  await copy.start();
  return JSON.stringify(results[0]);
}

/** A small seeded generator, so that a run can be repeated. */
function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
