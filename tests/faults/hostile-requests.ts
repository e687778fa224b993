import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { RouteConfigEntry } from "@remix-run/route-config";
import routes from "#app/routes.ts";
import type { Random } from "./seeded-random.ts";

export const ROLES = ["nobody", "customer", "agent", "admin"] as const;
export type HostileRequest = { route: string; path: string; role: (typeof ROLES)[number]; init: RequestInit };

const root = join(import.meta.dirname, "..", "..");
const METHODS = ["GET", "GET", "POST", "POST", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND"];
const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "__proto__[admin]",
  "a[b][c][d]",
  "orders[]",
  "orders[20000000]",
  "list[4294967294]",
  "a.b.c",
  "",
  " ",
  "\u0000",
  "email\u0000",
  "\ud800",
  "x".repeat(5000),
  "__intent__",
  "_method",
];
const VALUES = [
  "",
  " ",
  "0",
  "1",
  "-1",
  "1.5",
  "1e309",
  "NaN",
  "99999999999999999999",
  "0x10",
  "١٢٣",
  "null",
  "undefined",
  "[object Object]",
  "true",
  "on",
  "'; drop table users; --",
  "<script>alert(1)</script>",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\u202eabc",
  "x".repeat(3000),
  "x".repeat(70_000),
  "a\r\nSet-Cookie: x=1",
  "javascript:alert(1)",
  "https://growline.example",
  "http://127.0.0.1:1/",
  "http://[::1",
  "//evil.example",
  "/.//evil.example",
  "a@b.example",
  "2026-02-31",
  "-271821-04-20",
  "%",
  "%E0%A4%A",
  "../../etc/passwd",
  "{}",
  "[]",
  '{"a":1}',
  "=,+-@",
];
const IDS = [
  "1",
  "2",
  "0",
  "-1",
  "1.5",
  "2147483648",
  "9".repeat(40),
  "new",
  "__proto__",
  "%00",
  "%F0%9F%92%A9",
  "a b",
];
const LONG_IDS = [
  "x".repeat(500),
  "..%2f..",
  "anon_1700000000000_0123456789abcdef0123456789abcdef",
  "user_1",
  "%E0%A4%A",
];
const TYPES = [
  "application/x-www-form-urlencoded",
  "application/json",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"y".repeat(200)}`,
  "text/plain",
  "application/xml",
  "application/octet-stream",
  "application/json; charset=utf-16",
  "nonsense",
  "",
];
const HEADERS: [string, string[]][] = [
  ["Accept", ["*/*", "text/html", "application/json", "x".repeat(2000)]],
  ["Accept-Language", ["de-AT,de;q=0.9", "x-y-z-1234567890", "*", ",,,;q=", "a".repeat(500)]],
  ["If-None-Match", ['"x"', "*", 'W/"'.repeat(200)]],
  ["Range", ["bytes=0-", "bytes=-1", "bytes=9-1", "lines=1"]],
  ["Authorization", ["Bearer x", "Bearer a.b.c", "Basic Og==", "Bearer"]],
  ["Idempotency-Key", ["a b", "", "x".repeat(300)]],
  ["X-Forwarded-Host", ["evil.example"]],
  ["Sec-Purpose", ["prefetch"]],
  ["Cookie", ["growline_auth=x", "growline_flash=%%%", "a=".repeat(500), "__proto__=1; =; ;;"]],
  ["Origin", ["https://evil.example", "null"]],
];

/** Returns the patterns of all routes, pages and others, such as "/admin/support/:id". */
export function routePatterns(entries = routes as RouteConfigEntry[], parent = ""): string[] {
  const all = entries.flatMap((entry) => {
    const pattern = entry.path === undefined ? parent : `${parent}/${entry.path}`;
    return [pattern || "/", ...routePatterns(entry.children ?? [], pattern)];
  });
  return [...new Set(all)];
}

/** Returns the names of the fields and the values of the buttons that our own forms have. */
function formWords(): { names: string[]; values: string[] } {
  const sources = globSync("app/**/*.{ts,tsx}", { cwd: root })
    .filter((path) => !path.includes(".test."))
    .map((path) => readFileSync(join(root, path), "utf8"));
  const found = (pattern: RegExp) => [
    ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, word = ""]) => word))),
  ];
  return {
    names: [...found(/\bname="(\w+)"/g), ...found(/formText\(form, "(\w+)"/g), "intent", "id", "email", "password"],
    values: [...found(/\bintent="([\w-]+)"/g), ...found(/\bcase "([\w-]+)":/g)],
  };
}

/** Returns a function that makes one hostile request after the other, the same ones for the same `random`. */
export function hostileRequests(random: Random): () => HostileRequest {
  const { pick, chance, upTo } = random;
  const patterns = [...routePatterns(), "/__manifest", "/assets/:id", "//:id"];
  const words = formWords();

  const fieldName = () => (chance(0.75) ? pick(words.names) : pick(NAMES));
  const fieldValue = () => (chance(0.2) ? pick(words.values) : pick(VALUES));
  const fields = (): [string, string][] => {
    const list: [string, string][] = Array.from({ length: upTo(8) }, () => [fieldName(), fieldValue()]);
    if (chance(0.7)) list.unshift(["intent", pick(words.values)]);
    // The same field again.
    return chance(0.2) ? [...list, ...list] : list;
  };

  return () => {
    const route = pick(patterns);
    const page = route.replaceAll(/:\w+|\*/g, () => pick(chance(0.7) ? IDS : LONG_IDS));
    // What Remix's own client requests.
    const suffix = chance(0.15) ? ".data" : "";
    const query = chance(0.4) ? `?${new URLSearchParams(wellFormed(fields()))}` : "";
    const junk = chance(0.03) ? pick(["?%", "?&&&=", "?_routes=%00", "?index", `?p=${"/a&p=".repeat(500)}`]) : query;
    const method = pick(METHODS);
    const headers: Record<string, string> = {};
    for (const [name, values] of HEADERS) if (chance(0.05)) headers[name] = pick(values);
    const role = route.includes("logout") ? "nobody" : pick(ROLES);
    const init: RequestInit & { duplex?: "half" } = { method, headers, redirect: "manual" };
    if (method !== "GET" && method !== "HEAD") {
      const { type, content } = body();
      if (type !== "") headers["Content-Type"] = chance(0.9) ? type : pick(TYPES);
      if (chance(0.03)) headers["Content-Encoding"] = pick(["gzip", "br", "deflate", "identity", "x"]);
      init.body = chance(0.15) ? chunked(content) : content;
      init.duplex = "half";
    }
    return { route, path: page + suffix + junk, role, init };
  };

  function body(): { type: string; content: Uint8Array<ArrayBuffer> } {
    const kind = upTo(20);
    if (kind < 8) return { type: "application/x-www-form-urlencoded", content: urlEncoded(fields()) };
    if (kind < 11) return { type: "multipart/form-data; boundary=x", content: multipart(fields()) };
    if (kind < 14) return { type: "application/json", content: bytes(JSON.stringify(jsonFields())) };
    if (kind === 14) {
      return { type: "application/x-www-form-urlencoded", content: pick(MANY_FIELDS) };
    }
    if (kind === 15) return { type: "multipart/form-data; boundary=x", content: brokenMultipart() };
    if (kind === 16) return { type: pick(TYPES), content: pick(RAW) };
    if (kind === 17) return { type: "application/json", content: bytes(pick(JSON_TEXTS)) };
    if (kind === 18) return { type: pick(TYPES), content: GZIPPED };
    return { type: pick(TYPES), content: new Uint8Array(0) };
  }

  function jsonFields(): object {
    const odd = [0, -1, 1.5, 1e308, 2 ** 53, true, null, [], {}, [[]], [null], { $gt: 0 }, ["a", 1]];
    return Object.fromEntries(fields().map(([name, value]) => [name, chance(0.4) ? pick(odd) : value]));
  }

  function brokenMultipart(): Uint8Array<ArrayBuffer> {
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    return bytes(
      pick([
        part,
        `${part}--y--\r\n`,
        "--x",
        "--x--",
        "--x\r\n\r\n\r\n--x--\r\n",
        '--x\r\nContent-Disposition: form-data; name="a\r\n\r\n1\r\n--x--\r\n',
        `--x\r\nContent-Disposition: form-data; name="${"n".repeat(60_000)}"\r\n\r\n1\r\n--x--\r\n`,
        "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--\r\n",
        `${"--x\r\n".repeat(5000)}--x--\r\n`,
        `${part.repeat(1000)}--x--\r\n`,
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a\u0000.csv"\r\n\r\n\r\n--x--\r\n',
        '--x\r\nContent-Type: multipart/mixed; boundary=x\r\nContent-Disposition: form-data; name="a"\r\n\r\n--x--\r\n',
      ]),
    );
  }

  function multipart(list: [string, string][]): Uint8Array<ArrayBuffer> {
    const parts = list.map(([name, value]) => {
      const file = chance(0.2) ? `; filename="${pick(["a.csv", "", "../x", "\u0000", "a.png"])}"` : "";
      return `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    });
    return bytes(`${parts.join("")}--x--\r\n`);
  }
}

const JSON_TEXTS = [
  "",
  "{",
  "[]",
  "null",
  "1",
  '"x"',
  "{}{}",
  "[".repeat(30_000),
  `{"a":${'{"b":'.repeat(5000)}1${"}".repeat(5001)}`,
  '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}',
  '{"email":"\\ud800","password":"\\u0000"}',
  `{${Array.from({ length: 5000 }, (_, at) => `"k${at}":${at}`).join(",")}}`,
];

const GZIPPED = Uint8Array.from(gzipSync(Buffer.alloc(1_000_000)));
/** 10,000 fields: of one name, short, and too long for most forms. */
const MANY_FIELDS = [
  bytes("a=1&".repeat(10_000)),
  bytes(Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}=`).join("&")),
  bytes(Array.from({ length: 10_000 }, (_, at) => `field_${at}=1`).join("&")),
];

const RAW = [
  Uint8Array.from([0]),
  Uint8Array.from([0xed, 0xa0, 0x80]),
  Uint8Array.from([0xff, 0xfe, 0x61, 0x00]),
  new Uint8Array(65_536 + 1),
  new Uint8Array(200_000).fill(97),
  bytes("%=%&%E0%A4%A=%00&=&&"),
];

function urlEncoded(list: [string, string][]): Uint8Array<ArrayBuffer> {
  return bytes(new URLSearchParams(wellFormed(list)).toString());
}

/** Lone surrogates can't be sent as such; RAW holds their bytes. */
function wellFormed(list: [string, string][]): [string, string][] {
  return list.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]);
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A body without a length, in two pieces. */
function chunked(content: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const middle = content.byteLength >> 1;
  const pieces = [content.subarray(0, middle), content.subarray(middle)].filter((piece) => piece.byteLength > 0);
  return new ReadableStream({
    pull(controller) {
      const next = pieces.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
}
