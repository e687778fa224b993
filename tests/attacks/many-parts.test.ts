import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readPasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { PICKS_FORM } from "#app/console/catalog/imports/picked-keys.server.ts";
import { parseEmailEvent } from "#app/email/email-events.server.ts";
import { parseBatch } from "#app/gmail/api/gmail-batch.ts";
import { GMAIL_MAX_PARTS, parseJson } from "#app/gmail/api/gmail-transport.server.ts";
import { API_MAX_FIELDS, API_MAX_NAMES, API_MAX_PARTS, readApiRequest } from "#app/http/requests/api-request.ts";
import { FORM_MAX_BYTES, FORM_MAX_FIELDS, type LargeForm, readForm } from "#app/http/requests/read-form.ts";
import { JSON_MAX_PARTS, readJsonBody } from "#app/http/requests/read-json.ts";
import { MASS_FORM_LIMIT } from "#app/orders/mass/mass-lines.server.ts";
import { ORDER_FORM_LIMIT } from "#app/orders/placing/place-order-form.server.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { MAX_OFFERED, readCatalog } from "#app/orders/providers/provider-catalog.server.ts";
import { MAX_CATALOG_PARTS, MAX_PARTS, postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { MAX_LIST_CHARACTERS } from "#app/orders/rules/order-limits.ts";
import { FILES_FORM } from "#app/uploads/files-form.server.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";

// A parser that is given as many parts as fit into the bytes of a body makes few of them. What it makes is counted.

const MB = 1_000_000;
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=x";
const PART = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';

/** Fields of forms, and objects, lists and members of JSON. */
let made: () => Promise<{ fields: number; parts: number }>;

beforeEach(() => {
  const forms = vi.spyOn(Response.prototype, "formData");
  const parsed = vi.spyOn(JSON, "parse");
  made = async () => {
    const read = await Promise.all(forms.mock.results.map(({ value }) => value as Promise<FormData>));
    const values = parsed.mock.results.filter(({ type }) => type === "return");
    return {
      fields: read.reduce((sum, form) => sum + [...form].length, 0),
      parts: values.reduce((sum, { value }) => sum + partsIn(value), 0),
    };
  };
});
afterEach(() => {
  vi.restoreAllMocks();
});

const FORMS: [name: string, limit: LargeForm | undefined][] = [
  ["any form", undefined],
  ["a mass order", MASS_FORM_LIMIT],
  ["an order", ORDER_FORM_LIMIT],
  ["rows with boxes", PICKS_FORM],
  ["a file without scripts", FILES_FORM],
];

test.each(FORMS)("refuses %s with a field in each byte pair before it makes one", async (_, limit) => {
  const isMultipart = limit?.encoding === "multipart/form-data";
  const bytes = limit?.maxBytes ?? FORM_MAX_BYTES;
  const body = isMultipart ? `${filled(PART, bytes - 10)}--x--\r\n` : filled("a&", bytes);
  await expect(readForm(posted(body, isMultipart ? MULTIPART : FORM), limit)).rejects.toMatchObject({ status: 413 });
  expect(await made()).toEqual({ fields: 0, parts: 0 });
});

test("refuses a short form of many parts in the other encoding, too", async () => {
  const body = `${filled(PART, FORM_MAX_BYTES - 10)}--x--\r\n`;
  await expect(readForm(posted(body, MULTIPART), MASS_FORM_LIMIT)).rejects.toMatchObject({ status: 413 });
  expect(await made()).toEqual({ fields: 0, parts: 0 });
});

test("takes forms of the most fields, in both encodings", async () => {
  expect([...(await readForm(posted(`${"a&".repeat(FORM_MAX_FIELDS - 1)}a`, FORM)))].length).toBe(FORM_MAX_FIELDS);
  const form = new FormData();
  for (let at = 0; at < FORM_MAX_FIELDS; at++) form.append("a", "--x");
  const request = new Request("https://x.example/", { method: "POST", body: form });
  expect([...(await readForm(request))].length).toBe(FORM_MAX_FIELDS);
});

test("reads a boundary in quotes, with the signs that it may have", async () => {
  const boundary = "----a'()+_,-./:=? b";
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
  const read = await readForm(posted(body, `multipart/form-data; charset=utf-8; boundary="${boundary}"; x=y`));
  expect([...read]).toEqual([["a", "1"]]);
  for (const type of ["multipart/form-data", `multipart/form-data; boundary="${"a".repeat(71)}"`]) {
    await expect(readForm(posted(body, type))).rejects.toMatchObject({ status: 400 });
  }
});

/** Bodies of a megabyte, and what is made of them at most. */
const API_BODIES: [name: string, body: string, type: string][] = [
  ["a form of fields without a value", filled("a&", MB), FORM],
  ["a form without a type", filled("a&", MB), ""],
  ["a form of parts", `${filled(PART, MB - 10)}--x--\r\n`, MULTIPART],
  ["JSON of empty objects", `{"a":[${filled("{},", MB - 10)}{}]}`, "application/json"],
  ["JSON of empty lists", `{"a":[${filled("[],", MB - 10)}[]]}`, "application/json"],
  ["JSON of lists in lists", `{"a":${"[".repeat(MB / 2 - 10)}${"]".repeat(MB / 2 - 10)}}`, "application/json"],
  ["JSON of members", `{${filled('"a":1,', MB - 10)}"a":1}`, "application/json"],
  ["JSON without a type", `{${filled('"":{},', MB - 10)}"a":1}`, ""],
];

test.each(API_BODIES)("refuses %s of a megabyte before it makes anything of it", async (_, body, type) => {
  const read = await readApiRequest(posted(body, type));
  expect(read).toMatchObject({ ok: false, status: 413, text: "The request has too many fields" });
  expect(await made()).toEqual({ fields: 0, parts: 0 });
});

test("refuses an API request of many names", async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join("&");
  for (const type of [FORM, ""]) {
    expect(await readApiRequest(posted(names(API_MAX_NAMES), type))).toMatchObject({ ok: true });
    expect(await readApiRequest(posted(names(API_MAX_NAMES + 1), type))).toMatchObject({ ok: false, status: 413 });
  }
});

test("takes the longest lists of an order by the API, in each notation", async () => {
  const lines = MAX_LIST_CHARACTERS / 2;
  const items = Array.from({ length: lines }, () => "a");
  const wanted = items.join("\n");
  const form = `comments=${items.join("%0A")}`;
  const php = `service=1&${"comments[]=a&".repeat(75_000)}x=`;
  const json = JSON.stringify({ service: 1, usernames: items, hashtags: items, metadata: { a: "{[:" } });
  expect(await readApiRequest(posted(form, FORM))).toMatchObject({ ok: true, fields: { comments: wanted } });
  expect(await readApiRequest(posted(json, "application/json"))).toMatchObject({
    ok: true,
    fields: { usernames: wanted, hashtags: wanted, metadata: '{"a":"{[:"}' },
  });
  const read = await readApiRequest(posted(php, FORM));
  expect(read.ok && read.fields.comments?.length).toBe(2 * 75_000 - 1);
  expect(API_MAX_FIELDS).toBeGreaterThanOrEqual(lines);
  expect(API_MAX_PARTS).toBeLessThan(1000);
});

test("refuses a short JSON body of many parts", async () => {
  const body = `[${filled("{},", FORM_MAX_BYTES - 10)}{}]`;
  await expect(readJsonBody(posted(body, "application/json"))).rejects.toMatchObject({ status: 413 });
  expect(await made()).toEqual({ fields: 0, parts: 0 });
  const most = JSON.stringify(Array.from({ length: JSON_MAX_PARTS - 1 }, () => ({})));
  expect(await readJsonBody(posted(most, "application/json"))).toHaveLength(JSON_MAX_PARTS - 1);
});

const PANEL = { apiUrl: "https://x.example/", key: "k" };

const PROVIDER_BODIES: [name: string, action: string, body: string][] = [
  ["statuses of empty objects", "status", `[${filled("{},", MB)}{}]`],
  ["statuses of members", "status", `{${filled('"1":{},', MB)}"1":{}}`],
  ["a catalog of empty objects", "services", `[${filled("{},", 8 * MB)}{}]`],
  ["a catalog of lists in lists", "services", `${"[".repeat(4 * MB)}${"]".repeat(4 * MB)}`],
];

test.each(PROVIDER_BODIES)("reads no provider's %s of the largest size", async (_, action, body) => {
  vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(body));
  const read = await postToProvider(PANEL, { action });
  expect(read).toMatchObject({ kind: "no_response", why: "the response has too many parts", isTooLong: true });
  expect(await made()).toEqual({ fields: 0, parts: 0 });
});

test("reads a catalog of 20,000 services with 20 members, and 100 statuses", async () => {
  const more = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`m${at}`, at]));
  const entry = {
    name: "Followers: [real] {fast}",
    category: "A",
    type: "Default",
    rate: "1",
    min: 1,
    max: 10,
    ...more,
  };
  const catalog = Array.from({ length: 20_000 }, (_, at) => ({ service: at + 1, ...entry }));
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(Response.json(catalog));
  const read = await postToProvider(PANEL, { action: "services" });
  expect(read.kind === "json" && readCatalog(read.body, PANEL_API_V2)?.services.length).toBe(20_000);
  const statuses = Object.fromEntries(catalog.slice(0, 100).map((one) => [one.service, { ...one, orders: [1, 2] }]));
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(Response.json(statuses));
  expect(await postToProvider(PANEL, { action: "status" })).toMatchObject({
    kind: "json",
    body: statuses,
  });
  expect([MAX_PARTS, MAX_CATALOG_PARTS]).toEqual([20_000, 600_000]);
});

test("judges no catalog of more rows than any provider has", () => {
  const looked = vi.fn();
  const row = new Proxy({}, { get: looked });
  expect(
    readCatalog(
      Array.from({ length: MAX_OFFERED + 1 }, () => row),
      PANEL_API_V2,
    ),
  ).toBeNull();
  expect(looked).not.toHaveBeenCalled();
});

test("makes few parts of a response of Gmail of the largest size", async () => {
  expect(parseJson(`[${filled("{},", 10 * MB)}{}]`)).toBeNull();
  expect(await made()).toEqual({ fields: 0, parts: 0 });
  const page = { history: Array.from({ length: 500 }, () => ({ id: "1", labelsAdded: [{ message: { id: "1" } }] })) };
  expect(parseJson(JSON.stringify(page))).toEqual(page);
  expect(GMAIL_MAX_PARTS).toBeGreaterThan(500 * 100);
});

test("splits a batch of Gmail at its largest number of messages", () => {
  const split = vi.spyOn(RegExp.prototype, Symbol.split);
  const splitText = vi.spyOn(String.prototype, "split");
  const head = "Content-ID: <response-m>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n{}\r\n";
  expect(parseBatch(`--b\r\n${filled(`${head}--b\r\n`, 10 * MB)}`, "b")).toHaveLength(100);
  expect(parseBatch(`--b\r\n${filled(`${head}--b\r\n`, 98 * (head.length + 5))}${head}--b--`, "b")).toHaveLength(99);
  parseBatch(`--b\r\n${filled("\r\n--b", 10 * MB)}`, "b");
  parseBatch(`--b\r\n${filled("A: b\r\n", 10 * MB)}\r\n--b--`, "b");
  const pieces = [...split.mock.results, ...splitText.mock.results].map(({ value }) => (value as string[]).length);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(102);
});

test("makes few parts of other bodies that are JSON", async () => {
  const many = `[${filled("{},", FORM_MAX_BYTES)}{}]`;
  const form = new FormData();
  form.set("credential", many);
  expect(readPasskeyProof(form, newVisit())).toMatchObject({ challengeId: "", credential: null });
  expect(parseEmailEvent(many)).toBeNull();
  expect(await made()).toEqual({ fields: 0, parts: 0 });
});

/** Repeats the unit as often as it fits into so many bytes. */
function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / unit.length));
}

function posted(body: string, type: string): Request {
  return new Request("https://x.example/", {
    method: "POST",
    body: new TextEncoder().encode(body),
    headers: type === "" ? {} : { "Content-Type": type },
  });
}

/** Counts objects, lists and members, also where they are too deep for a recursion. */
function partsIn(value: unknown): number {
  const open = [value];
  let parts = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const inside = Object.values(one);
    parts += 1 + (Array.isArray(one) ? 0 : inside.length);
    for (const other of inside) open.push(other ?? null);
  }
  return parts;
}
