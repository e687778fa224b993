import { expect, test } from "vitest";
import { readApiRequest } from "./api-request.ts";

test("a list as PHP's http_build_query writes it is read as the list it is", async () => {
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

test("a field that is given both ways is the plain one, and odd brackets name no list", async () => {
  expect(await fieldsOf("orders=9&orders[]=1&a[b]=2&[]=3")).toEqual({ orders: "9", "a[b]": "2", "[]": "3" });
});

async function fieldsOf(body: string, type = ""): Promise<unknown> {
  const headers = type === "" ? { "Content-Type": "text/plain" } : { "Content-Type": type };
  const read = await readApiRequest(new Request("https://x.example/api/v2", { method: "POST", body, headers }));
  return read.ok ? read.fields : read;
}
