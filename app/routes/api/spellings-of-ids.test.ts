import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, service } from "#tests/workerd/customer.ts";

// How public clients write the ids of several orders: the PHP class that panels publish, Telegram bots in Python (requests
// with a list, and one that makes text of each value), clients in Node (axios with JSON, FormData), Go (url.Values) and C#.

type Call = { name: string; body: (ids: number[]) => BodyInit; type?: string };

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

const CALLS: Call[] = [
  { name: "commas, from implode or join", body: (ids) => form([["orders", ids.join(",")]]), type: FORM },
  {
    name: "commas and blanks, and a blank at the end",
    body: (ids) => form([["orders", `${ids.join(", ")} `]]),
    type: FORM,
  },
  { name: "lines", body: (ids) => form([["orders", `${ids.join("\r\n")}\r\n`]]), type: FORM },
  {
    name: "a name for each, from Python or Go",
    body: (ids) => form(ids.map((id) => ["orders", String(id)])),
    type: FORM,
  },
  { name: "PHP's notation", body: (ids) => form(ids.map((id, at) => [`orders[${at}]`, String(id)])), type: FORM },
  { name: "a list as text, from Python", body: (ids) => form([["orders", `[${ids.join(", ")}]`]]), type: FORM },
  {
    name: "a list of text as text, from Python",
    body: (ids) => form([["orders", `['${ids.join("', '")}']`]]),
    type: FORM,
  },
  { name: "JSON as text", body: (ids) => form([["orders", JSON.stringify(ids.map(String))]]), type: FORM },
  { name: "a JSON list of numbers", body: (orders) => JSON.stringify({ action: "status", orders }), type: JSON_TYPE },
  {
    name: "a JSON list of text",
    body: (ids) => JSON.stringify({ action: "status", orders: ids.map(String) }),
    type: JSON_TYPE,
  },
  {
    name: "commas in JSON",
    body: (ids) => JSON.stringify({ action: "status", orders: ids.join(", ") }),
    type: JSON_TYPE,
  },
  { name: "FormData with a part for each", body: (ids) => parts(ids.map((id) => ["orders", String(id)])) },
  { name: "FormData with brackets", body: (ids) => parts(ids.map((id) => ["orders[]", String(id)])) },
];

test("returns the same statuses however a client writes a list of ids", async () => {
  const { apiKey, ids } = await placed();
  const bearer = { Authorization: `Bearer ${apiKey}` };
  for (const { name, body, type } of CALLS) {
    const headers = { ...bearer, ...(type !== undefined && { "Content-Type": type }) };
    const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", headers, body: body(ids) });
    const statuses = await response.json<Record<string, { status?: string }>>();
    expect(Object.keys(statuses), name).toEqual(ids.map(String));
    for (const { status } of Object.values(statuses)) expect(status, name).toBe("Pending");
  }
  for (const query of [
    `orders=${ids.join("%2C%20")}`,
    ids.map((id) => `orders=${id}`).join("&"),
    ids.map((id) => `orders[]=${id}`).join("&"),
  ]) {
    const response = await SELF.fetch(`${SITE}/api/status?${query}`, { headers: bearer });
    expect(Object.keys(await response.json<object>()), query).toEqual(ids.map(String));
  }
});

test("cancels every order of a list whose name is repeated, not the last one alone", async () => {
  const { apiKey, ids } = await placed();
  const body = new URLSearchParams({ key: apiKey, action: "cancel" });
  for (const id of ids) body.append("orders", String(id));
  const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body });
  expect(await response.json()).toEqual(ids.map((order) => ({ order, cancel: 1 })));
});

test("reads one id with blanks around it, as a number or as text", async () => {
  const { apiKey, ids } = await placed();
  const [id = 0] = ids;
  for (const order of [String(id), ` ${id} `, `${id}\n`, id]) {
    const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": JSON_TYPE };
    const body = JSON.stringify({ action: "status", order });
    const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", headers, body });
    expect(await response.json(), JSON.stringify(order)).toMatchObject({ status: "Pending" });
  }
});

test("refuses a key in the URL, and what no convention says, as before", async () => {
  const { apiKey, ids } = await placed();
  const inUrl = await SELF.fetch(`${SITE}/api/v2?key=${apiKey}&action=status&order=${ids[0]}`);
  expect([inUrl.status, inUrl.headers.get("Allow")]).toEqual([405, "POST"]);
  for (const [fields, error] of [
    [{ action: "STATUS", order: String(ids[0]) }, "Incorrect request"],
    [{ Action: "status", order: String(ids[0]) }, "Incorrect request"],
    [{ order: String(ids[0]) }, "Incorrect request"],
    [{ action: "status", Order: String(ids[0]) }, "Incorrect order ID"],
    [{ action: "status", order: ids.join() }, "Incorrect order ID"],
    [{ action: "status", order: `${ids[0]}.0` }, "Incorrect order ID"],
    [{ action: "status", orders: "[]" }, "Incorrect request"],
  ] as const) {
    const body = new URLSearchParams({ key: apiKey, ...fields });
    const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body });
    expect(await response.json(), JSON.stringify(fields)).toEqual({ error });
  }
});

function form(fields: [string, string][]): URLSearchParams {
  return new URLSearchParams([["action", "status"], ...fields]);
}

function parts(fields: [string, string][]): FormData {
  const body = new FormData();
  body.append("action", "status");
  for (const [name, value] of fields) body.append(name, value);
  return body;
}

async function placed(): Promise<{ apiKey: string; ids: number[] }> {
  const { apiKey } = await customerWith(MICRO);
  const id = String(await service({ cancel: true }));
  const ids: number[] = [];
  for (const post of [1, 2, 3]) {
    const fields = { key: apiKey, action: "add", service: id, link: `https://instagram.com/p/${post}`, quantity: "10" };
    const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body: new URLSearchParams(fields) });
    ids.push((await response.json<{ order: number }>()).order);
  }
  return { apiKey, ids };
}
