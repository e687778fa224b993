import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { customerWith } from "#tests/workerd/customer.ts";

const SITE = "https://growline.example";
const Origin = "https://shop.example";

test("lets no page of another site call the API with a key", async () => {
  const { apiKey } = await customerWith(MICRO);
  const headers = { Origin, "Content-Type": "application/json" };
  const calls = [
    SELF.fetch(`${SITE}/api/v2`, { method: "POST", headers, body: JSON.stringify({ key: apiKey, action: "balance" }) }),
    SELF.fetch(`${SITE}/api/v2?key=${apiKey}&action=balance`, { headers }),
    ...["/api/v2", "/api/v1/create_order"].map((path) =>
      SELF.fetch(SITE + path, {
        method: "OPTIONS",
        headers: { Origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization" },
      }),
    ),
  ];
  for (const response of await Promise.all(calls)) {
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("lets any page read the OpenAPI document", async () => {
  const response = await SELF.fetch(`${SITE}/api/openapi.json`, { headers: { Origin } });
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
});
