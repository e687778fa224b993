import { SELF } from "cloudflare:test";
import { AuthClient } from "@supabase/auth-js";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn, tokensOf } from "#tests/workerd/signed-in-account.ts";

// Programs join a base URL that ends in a slash with a path that begins with one.

const SITE = "https://growline.example";

test.each(["//api/v2", "///api/v2/", "//api/v2?"])("answers %s as the API does, and places one order", async (path) => {
  const { userId, apiKey: key } = await customerWith(MICRO);
  const link = `https://instagram.com/p/${crypto.randomUUID()}`;
  const fields = { key, action: "add", service: String(await service()), link, quantity: "1000" };
  const response = await SELF.fetch(SITE + path, { method: "POST", body: new URLSearchParams(fields) });
  expect([response.status, response.redirected]).toEqual([200, false]);
  expect(await response.json()).toEqual({ order: expect.any(Number) });
  const placed = await db.select({ charge: orders.charge }).from(orders).where(eq(orders.userId, userId));
  expect(placed).toEqual([{ charge: 900_000 }]);
});

test("answers the other calls of programs alike, with their own errors for what does not exist", async () => {
  const { apiKey } = await customerWith(MICRO);
  const headers = { Authorization: `Bearer ${apiKey}` };
  for (const path of ["//api/v1/orders", "/api/v1//orders?limit=1", "//api/v1//orders", "//api/balance"]) {
    const response = await SELF.fetch(SITE + path, { headers, redirect: "manual" });
    expect(response.status, path).toBe(200);
    expect(response.headers.get("Content-Type"), path).toContain("json");
  }
  const unknown = await SELF.fetch(`${SITE}//api/v3`);
  expect([unknown.status, unknown.headers.get("Content-Type")]).toEqual([404, expect.stringContaining("problem+json")]);
});

test("lets the client library call a base URL that ends in a slash", async () => {
  const session = await tokensOf((await signedIn()).cookie);
  const client = new AuthClient({
    url: `${SITE}/auth/v1/`,
    fetch: (input, init) => SELF.fetch(String(input), init as RequestInit<RequestInitCfProperties>) as never,
    autoRefreshToken: false,
    persistSession: false,
  });
  expect((await client.setSession(session)).error).toBeNull();
  expect((await client.refreshSession()).error).toBeNull();
});

test("leaves the doubled slashes of pages alone", async () => {
  expect((await SELF.fetch(`${SITE}//dashboard`, { redirect: "manual" })).status).not.toBe(200);
});
