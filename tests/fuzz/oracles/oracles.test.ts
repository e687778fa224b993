import { expect, test } from "vitest";
import type { CallerName, FuzzCase } from "../cases/fuzz-case.ts";
import type { RawResponse } from "../client/raw-client.ts";
import { changeOf } from "../product/recorded-database.ts";
import { forbiddenChanges } from "./allowed-changes.ts";
import { judgeResponse } from "./judge-response.ts";

const CANARIES = { texts: ["canary1"], secrets: ["gl_live_canary"] };

test("finds what a response must not be", () => {
  const html: [string, string] = ["content-type", "text/html; charset=utf-8"];
  expect(rulesOf({ status: 500 })).toEqual(["5xx"]);
  expect(rulesOf({ body: "x".repeat(256 * 1024 + 1) })).toEqual(["size"]);
  expect(rulesOf({ headers: [html], body: "<p>a<gl-fuzz-7></p>" })).toEqual(["markup"]);
  expect(rulesOf({ body: "to canary1@mail.example" })).toEqual(["leak"]);
  expect(rulesOf({ headers: [["location", "/?next=canary1"]] })).toEqual(["leak"]);
  expect(rulesOf({ body: "gl_live_canary" }, "admin")).toEqual(["leak"]);
  expect(rulesOf({ status: 403, headers: [["set-cookie", "growline_auth=abc; Path=/"]] })).toEqual(["session"]);
});

test("accepts what a response may be", () => {
  const html: [string, string] = ["content-type", "text/html"];
  expect(rulesOf({ headers: [html], body: "<p>&lt;gl-fuzz-7></p>" })).toEqual([]);
  expect(rulesOf({ body: '{"name":"<gl-fuzz-7>"}' })).toEqual([]);
  expect(rulesOf({ body: "canary1" }, "agent")).toEqual([]);
  expect(rulesOf({ status: 401, headers: [["set-cookie", "growline_auth=; Max-Age=0"]] })).toEqual([]);
  expect(rulesOf({ body: "x".repeat(300_000) }, "visitor", "/catalog.json")).toEqual([]);
});

test("finds a row that a refusal changed", () => {
  expect(forbiddenChanges("POST", 403, ["update wallets"])).toEqual(["update wallets"]);
  expect(forbiddenChanges("POST", 400, ["insert emails"])).toEqual(["insert emails"]);
  expect(forbiddenChanges("POST", 404, ["room: insert messages"])).toEqual(["room: insert messages"]);
  expect(forbiddenChanges("POST", 429, ["insert rate_limits", "update rate_limits"])).toEqual([]);
  expect(forbiddenChanges("POST", 400, ["insert emails", "delete emails"])).toEqual([]);
  expect(forbiddenChanges("POST", 302, ["update wallets"])).toEqual([]);
});

test("finds a row that a request for reading changed", () => {
  expect(forbiddenChanges("GET", 200, ["delete auth_sessions", "update auth_sessions"])).toEqual([
    "delete auth_sessions",
  ]);
  expect(forbiddenChanges("HEAD", 302, ["insert gmail_oauth_states"])).toEqual([]);
});

test("names what a statement changes", () => {
  const statements: Record<string, string | null> = {
    'insert into "orders" ("id") values (?)': "insert orders",
    "INSERT OR IGNORE INTO agent_rooms VALUES (?, ?)": "insert agent_rooms",
    'with "a" as (select 1) update "wallets" set "balance" = 1': "update wallets",
    "delete from sessions where id = ?": "delete sessions",
    'select "updated_at" from "orders"': null,
    "create table if not exists notes (no integer)": null,
  };
  for (const [statement, change] of Object.entries(statements)) expect(changeOf(statement)).toBe(change);
});

type Given = { status?: number; headers?: [string, string][]; body?: string };

function rulesOf(given: Given, caller: CallerName = "visitor", route = "/"): string[] {
  const request = { method: "GET", target: "/", headers: [], body: Buffer.alloc(0), framing: "none" } as const;
  const fuzzCase: FuzzCase = { number: 1, route, caller, request: { ...request, headers: [] } };
  const { status = 200, headers = [], body = "" } = given;
  const response: RawResponse = {
    status,
    headers: [["x-request-id", "1"], ...headers],
    body: Buffer.from(body),
    ms: 1,
  };
  return judgeResponse(fuzzCase, response, CANARIES).map(({ rule }) => rule);
}
