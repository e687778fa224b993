import { expect, test } from "vitest";
import { readApiRequest } from "./api-request.ts";

test("reads a list in the notation of PHP's http_build_query", async () => {
  for (const body of [
    "orders[]=1&orders[]=2&orders[]=3",
    "orders[0]=1&orders[1]=2&orders[2]=3",
    "orders%5B0%5D=1&orders%5B1%5D=2&orders%5B2%5D=3",
  ]) {
    expect(await fieldsOf(body), body).toEqual({ orders: "1\n2\n3" });
    expect(await fieldsOf(body, "application/x-www-form-urlencoded"), body).toEqual({ orders: "1\n2\n3" });
  }
  const form = new FormData();
  for (const id of ["1", "2"]) form.append("orders[]", id);
  const multipart = await readApiRequest(new Request("https://x.example/api/v2", { method: "POST", body: form }));
  expect(multipart).toMatchObject({ ok: true, fields: { orders: "1\n2" } });
});

test("reads ids whose name is repeated as one list, and the last value of every other name", async () => {
  const body = "orders=1&orders=2&link=a&link=b&refills=7&refills=8&order=3&order=4";
  const fields = { orders: "1\n2", refills: "7\n8", link: "b", order: "4" };
  expect(await fieldsOf(body)).toEqual(fields);
  expect(await fieldsOf("orders=undefined&refills=null")).toEqual({});
  const asked = await readApiRequest(new Request(`https://x.example/api/status?${body}`));
  expect(asked).toMatchObject({ ok: true, fields });
});

test("reads a list in PHP's notation from a URL too, and keeps what a URL says of anything else", async () => {
  const query = "orders[]=1&orders[]=2&since=null&a[b]=2&__proto__=3";
  const read = await readApiRequest(new Request(`https://x.example/api/status?${query}`));
  expect(read.ok && Object.entries(read.fields)).toEqual([
    ["orders", "1\n2"],
    ["since", "null"],
    ["a[b]", "2"],
    ["__proto__", "3"],
  ]);
});

test("prefers a plain field over a list of the same name, and reads no list from odd brackets", async () => {
  expect(await fieldsOf("orders=9&orders[]=1&a[b]=2&[]=3")).toEqual({ orders: "9", "a[b]": "2", "[]": "3" });
});

test("reads only short text, whatever the list index or the field name", async () => {
  expect(await fieldsOf("orders[20000000]=1&orders[4294967294]=2")).toEqual({ orders: "1\n2" });
  const odd = "a[20000000][b]=1&__proto__=1&__proto__[20000000]=1&constructor[0]=1";
  const fields = (await fieldsOf(odd)) as Record<string, string>;
  expect(Object.values(fields).join("").length).toBeLessThan(10);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)[20_000_000]).toBeUndefined();
  const body = '{"__proto__":{"a":"1"},"orders":[1,2]}';
  expect(await fieldsOf(body, "application/json")).toEqual({ orders: "1\n2" });
});

test("refuses a body that is neither a form nor JSON by name, and keeps the Bearer token", async () => {
  const post = (headers: Record<string, string>) =>
    readApiRequest(new Request("https://x.example/api/v2", { method: "POST", body: "<a/>", headers }));
  const bearer = { Authorization: "Bearer gl_live_1" };
  expect(await post({ ...bearer, "Content-Type": "application/xml" })).toEqual({
    ok: false,
    status: 415,
    text: "Send a form or JSON, not application/xml",
    key: "gl_live_1",
  });
  expect(await post({ "Content-Type": "application/json", "Content-Encoding": "gzip" })).toMatchObject({ status: 415 });
  expect(await post({ ...bearer, "Content-Type": "application/json" })).toMatchObject({
    status: 400,
    key: "gl_live_1",
  });
  expect(await post({ "Content-Type": "application/vnd.api+json" })).toMatchObject({ status: 400 });
});

async function fieldsOf(body: string, type = ""): Promise<unknown> {
  const headers = type === "" ? { "Content-Type": "text/plain" } : { "Content-Type": type };
  const read = await readApiRequest(new Request("https://x.example/api/v2", { method: "POST", body, headers }));
  return read.ok ? read.fields : read;
}
