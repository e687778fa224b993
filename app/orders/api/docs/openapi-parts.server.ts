import { z } from "zod";
import { ERRORS } from "#app/orders/api/api-responses.server.ts";

// The building blocks of the OpenAPI document.

export function query(name: string, schema: z.ZodType) {
  return { name, in: "query", required: false, schema: jsonSchema(schema), ...(name === "order" && { example: 1 }) };
}

export function problems(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, response(meaning(status), "application/problem+json", ref("Problem"))]),
  );
}

export function errors(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, response(meaning(status), "application/json", ref("PanelError"))]),
  );
}

const MEANINGS: Record<number, string> = {
  400: "The request can't be read",
  401: ERRORS.invalid_api_key.text,
  402: "Not enough funds on balance, or the key's daily spending cap is reached",
  403: "The key doesn't have the required scope, or is not allowed from this address",
  404: "You have no such order",
  409: "The idempotency key was used for another order",
  410: ERRORS.version_too_old.text,
  413: "The request is larger than 1 MB",
  422: "The service doesn't accept this order",
  429: ERRORS.too_many_requests.text,
  503: "The database does not answer, or new orders are paused for maintenance",
};

function meaning(status: number): string {
  return MEANINGS[status] ?? "";
}

export function response(description: string, type: string, schema: object, headers: object = {}) {
  const common = ["RateLimit", "RateLimit-Policy", "X-Request-Id"].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return { description, headers: { ...Object.fromEntries(common), ...headers }, content: { [type]: { schema } } };
}

export function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

export function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...built } = z.toJSONSchema(schema, { io: "input" });
  return built;
}
