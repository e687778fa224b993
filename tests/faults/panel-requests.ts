import type { HostileRequest } from "./hostile-requests.ts";
import type { Random } from "./seeded-random.ts";

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

/** Returns a function that makes requests to the order API, of which none is a valid order. */
export function panelRequests({ next, pick }: Random, apiKey: string): () => HostileRequest {
  const badRequest = (): HostileRequest => {
    const key = pick([apiKey, apiKey, apiKey, "", "gl_live_x", "ключ"]);
    const fields: Record<string, unknown> = Object.fromEntries(
      Array.from({ length: Math.floor(next() * 6) }, () => [pick(FIELDS), pick(VALUES)]),
    );
    if (next() < 0.8) fields.action = pick(ACTIONS);
    if (next() < 0.3) fields.service = pick([1, "1", 7, 9999]);
    const method = pick(["POST", "POST", "POST", "GET", "PUT", "DELETE", "PATCH"]);
    const type = pick(TYPES);
    const headers: Record<string, string> = type ? { "Content-Type": type } : {};
    if (next() < 0.6) headers.Authorization = `Bearer ${encodeURIComponent(key)}`;
    else fields.key = key;
    if (next() < 0.2) headers["Idempotency-Key"] = pick(["a b", "", "x".repeat(300), "ok-1"]);
    const query = next() < 0.1 ? `?${new URLSearchParams({ [pick(FIELDS)]: String(pick(VALUES)) })}` : "";
    const route = pick(ROUTES);
    const init = method === "GET" ? { method, headers } : { method, headers, body: body(type, fields) };
    return { route, path: route + query, role: "nobody", init };
  };
  return badRequest;

  function body(type: string, fields: Record<string, unknown>): string {
    const kind = next();
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
}
