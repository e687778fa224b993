import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import * as api from "#app/orders/api/api-schema.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";

type Schema = {
  $ref?: string;
  oneOf?: Schema[];
  discriminator?: { mapping?: Record<string, string> };
  properties?: Record<string, object>;
};
type Security = Record<string, string[]>[];
type Operation = {
  security?: Security;
  requestBody?: {
    content: Record<string, { schema: Schema; examples?: Record<string, { value: Record<string, unknown> }> }>;
  };
  parameters?: { name: string; in: string; example?: unknown }[];
  responses: Record<string, unknown>;
};
type Document = {
  openapi: string;
  security: Security;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const SITE = "https://growline.example";

// The examples use service 1, orders 1 and 2, and refill 1.
beforeAll(() => service({ id: 1, refill: true, cancel: true }));

test("serves an OpenAPI 3.1 document that other sites may read", async () => {
  const response = await SELF.fetch(`${SITE}/api/openapi.json`);
  expect(response.headers.get("Content-Type")).toContain("application/json");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(await response.json()).toMatchObject({ openapi: "3.1.0", servers: [{ url: SITE }] });
});

test("the routes respond to every documented example as documented", async () => {
  const { paths } = await (await SELF.fetch(`${SITE}/api/openapi.json`)).json<Document>();
  const { userId, apiKey } = await customerWith(1000 * MICRO);
  let sent = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const examples = operation.requestBody?.content["application/json"]?.examples ?? { "": { value: null } };
      for (const [name, { value }] of Object.entries(examples)) {
        if (name === "refill") await db.update(orders).set({ status: "Completed" }).where(eq(orders.userId, userId));
        const url = new URL(path, SITE);
        const headers = new Headers({ Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" });
        for (const { name: parameter, in: place, example } of operation.parameters ?? []) {
          if (example === undefined) continue;
          if (place === "query") url.searchParams.set(parameter, String(example));
          else headers.set(parameter, String(example));
        }
        const body = value === null ? null : JSON.stringify(value);
        const response = await SELF.fetch(url, { method: method.toUpperCase(), headers, body });
        const documented = Object.keys(operation.responses).map(Number);
        expect(documented, `${method} ${path} ${name}`).toContain(response.status);
        expect(response.status, `${method} ${path} ${name}: ${await response.clone().text()}`).toBeLessThan(300);
        expect(
          schemaFor(path, value).safeParse(await response.json()).error,
          `${method} ${path} ${name}`,
        ).toBeUndefined();
        expect(response.headers.get("RateLimit"), path).toBeTruthy();
        sent++;
      }
    }
  }
  expect(sent).toBeGreaterThanOrEqual(15);
});

test("documents the key in the body of every POST, which then needs no header", async () => {
  const document = await (await SELF.fetch(`${SITE}/api/openapi.json`)).json<Document>();
  const { apiKey } = await customerWith(1000 * MICRO);
  const sent: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody, security = document.security }] of Object.entries(methods)) {
      const isOptional = security.some((scheme) => Object.keys(scheme).length === 0);
      expect(isOptional, `${method} ${path}`).toBe(method === "post");
      if (!isOptional) continue;
      for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
        for (const { $ref } of schema.oneOf ?? [schema]) {
          const { properties } = document.components.schemas[$ref?.split("/").at(-1) ?? ""] ?? {};
          expect(properties?.key, `${path} ${type} ${$ref}`).toMatchObject({ type: "string" });
        }
      }
      const [{ value }] = Object.values(requestBody?.content["application/json"]?.examples ?? {}) as [
        { value: object },
      ];
      const body = JSON.stringify({ ...value, key: apiKey });
      const headers = { "Content-Type": "application/json" };
      const response = await SELF.fetch(SITE + path, { method: "POST", headers, body });
      expect(await response.json(), path).not.toHaveProperty("error");
      expect(response.status, path).toBeLessThan(300);
      sent.push(path);
    }
  }
  expect(sent).toEqual(["/api/v1/create_order", "/api/v2", "/api/order"]);
});

test("names the request of each panel action, so that programs find its fields", async () => {
  const { paths, components } = await (await SELF.fetch(`${SITE}/api/openapi.json`)).json<Document>();
  const content = paths["/api/v2"]?.post?.requestBody?.content["application/json"];
  const { oneOf = [], discriminator } = content?.schema ?? {};
  const mapping = Object.entries(discriminator?.mapping ?? {});
  expect([...new Set(mapping.map(([, $ref]) => $ref))]).toEqual(oneOf.map(({ $ref }) => $ref));
  for (const [action, $ref] of mapping) {
    const named = components.schemas[$ref.split("/").at(-1) ?? ""]?.properties?.action as
      | { const?: string; enum?: string[] }
      | undefined;
    expect(named?.enum ?? [named?.const]).toContain(action);
  }
  expect(mapping.map(([action]) => action)).toEqual(expect.arrayContaining(["orders", "multi_status"]));
});

test("takes each documented type of body and place of an idempotency key at the panel API", async () => {
  const { paths } = await (await SELF.fetch(`${SITE}/api/openapi.json`)).json<Document>();
  const { apiKey } = await customerWith(1000 * MICRO);
  const fields = { key: apiKey, action: "add", service: "1", link: "https://instagram.com/growline", quantity: "100" };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const bodies: Record<string, BodyInit> = {
    "application/json": JSON.stringify(fields),
    "application/x-www-form-urlencoded": new URLSearchParams(fields),
    "multipart/form-data": form,
  };
  const { requestBody, parameters = [] } = paths["/api/v2"]?.post ?? {};
  expect(Object.keys(requestBody?.content ?? {})).toEqual(Object.keys(bodies));
  expect([parameters, paths["/api/order"]?.post?.parameters]).toMatchObject(
    Array(2).fill([{ name: "Idempotency-Key", in: "header" }]),
  );
  const placed: unknown[] = [];
  for (const [type, body] of Object.entries(bodies)) {
    const headers = { "Idempotency-Key": "same", ...(type === "application/json" && { "Content-Type": type }) };
    const response = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", headers, body });
    placed.push(await response.json());
  }
  expect(placed).toEqual(Array(3).fill({ order: expect.any(Number) }));
  expect(new Set(placed.map((one) => JSON.stringify(one))).size).toBe(1);
});

function schemaFor(path: string, value: Record<string, unknown> | null) {
  if (path === "/api/v1/create_order") return api.createdOrder;
  if (path === "/api/v1/orders") return api.orderList;
  const action = path === "/api/v2" ? value?.action : path.slice("/api/".length);
  switch (action) {
    case "services":
      return api.serviceList;
    case "balance":
      return api.balanceResponse;
    case "add":
      return api.placedOrder;
    case "order":
      return value ? api.placedOrder : api.orderStatus;
    case "status":
      return value?.orders ? api.orderStatuses : api.orderStatus;
    case "refill":
      return value?.orders ? api.refillResponses : api.refillResponse;
    case "refill_status":
      return value?.refills ? api.refillStatusResponses : api.refillStatusResponse;
    case "cancel":
      return api.cancelResponses;
    default:
      throw new Error(`no schema for ${path} ${JSON.stringify(value)}`);
  }
}
