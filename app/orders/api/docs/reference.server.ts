import { ownValue } from "#app/own-value.ts";
import type { DocumentedError } from "./documented-errors.server.ts";
import type { openApiDocument } from "./openapi.server.ts";

// The docs page's view of the OpenAPI document, which is the page's only source about routes.

export type DocField = { name: string; type: string; required: boolean; description: string };
export type DocResponse = { status: string; description: string; example: string | null };
export type DocOperation = {
  /** The anchor on the page. */
  id: string;
  group: string;
  title: string;
  description: string;
  method: "GET" | "POST";
  path: string;
  /** Whether panel clients send it as a form instead of JSON. */
  form: boolean;
  fields: DocField[];
  /** The example request of the code samples and "Try it". */
  body: Record<string, unknown> | null;
  query: Record<string, string>;
  headers: Record<string, string>;
  responses: DocResponse[];
  errors: { status: string; description: string; code: string | null }[];
};
export type DocWebhook = {
  event: string;
  description: string;
  headers: { name: string; description: string }[];
  example: string;
};
export type Reference = {
  title: string;
  version: string;
  description: string;
  keyDescription: string;
  operations: DocOperation[];
  webhooks: DocWebhook[];
  errors: DocumentedError[];
  orderTypes: { type: string; fields: string[] }[];
  headers: { name: string; description: string }[];
  statuses: string[];
  subscriptionStatuses: string[];
  changelog: { version: string; date: string; changes: readonly string[] }[];
};

type Document = ReturnType<typeof openApiDocument>;
type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  examples?: unknown[];
};
type Response = { description: string; content: Record<string, { schema: Schema }> };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    schema: Schema;
    example?: unknown;
    description?: string;
  }[];
  requestBody?: { content: Record<string, { schema: Schema; examples?: Record<string, { value: object }> }> };
  responses: Record<string, Response>;
};

const PANEL = "/api/v2";
const JSON_TYPE = "application/json";

export function referenceOf(document: Document): Reference {
  const schemas = document.components.schemas as Record<string, Schema>;
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      path === PANEL ? panelActions(document, schemas, operation) : [single(schemas, path, method, operation)],
    ),
  );
  return {
    title: document.info.title,
    version: document.info.version,
    description: document.info.description,
    keyDescription: document.components.securitySchemes.apiKey.description,
    operations,
    webhooks: Object.entries(document.webhooks).map(([event, { post }]) => ({
      event,
      description: post.summary,
      headers: post.parameters.map(({ name, description }) => ({ name, description })),
      example: JSON.stringify(post.requestBody.content[JSON_TYPE].examples.event.value, null, 2),
    })),
    errors: document["x-errors"],
    orderTypes: Object.entries(document["x-order-types"]).map(([type, fields]) => ({ type, fields })),
    headers: Object.entries(document.components.headers).map(([name, { description }]) => ({ name, description })),
    statuses: statusesIn(schemas.OrderStatus),
    subscriptionStatuses: statusesIn(schemas.SubscriptionStatus),
    changelog: [...document["x-changelog"]],
  };
}

function statusesIn(schema: Schema | undefined): string[] {
  return (schema?.properties?.status?.enum ?? []).map(String);
}

function single(schemas: Record<string, Schema>, path: string, method: string, operation: Operation): DocOperation {
  const body = operation.requestBody?.content[JSON_TYPE];
  const parameters = operation.parameters ?? [];
  const examples = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map(({ name, example }) => [name, String(example)]),
    );
  const responses = Object.entries(operation.responses);
  return {
    id: operation.operationId,
    group: operation.tags[0] ?? "",
    title: operation.summary,
    description: operation.description ?? "",
    method: method === "get" ? "GET" : "POST",
    path,
    form: false,
    fields: [
      ...parameters.map((parameter) => ({
        name: parameter.name,
        type: `${typeText(parameter.schema)}, in the ${parameter.in === "query" ? "query" : "header"}`,
        required: parameter.required,
        description: parameter.description ?? parameter.schema.description ?? "",
      })),
      ...(body ? fieldsOf(schemas, body.schema) : []),
    ],
    body: body ? (firstExample(body.examples) as Record<string, unknown>) : null,
    query: examples("query"),
    headers: examples("header"),
    responses: responses
      .filter(([status]) => Number(status) < 300)
      .flatMap(([status, response]) => responsesOf(schemas, status, response)),
    errors: responses
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => ({ status, description, code: null })),
  };
}

function panelActions(document: Document, schemas: Record<string, Schema>, operation: Operation): DocOperation[] {
  const examples = Object.values(operation.requestBody?.content[JSON_TYPE]?.examples ?? {}).map(({ value }) => value);
  const errors = new Map(document["x-errors"].map((error) => [error.code, error]));
  return Object.entries(document["x-actions"]).map(([action, documented]) => ({
    id: `panel-${action}`,
    group: operation.tags[0] ?? "",
    title: documented.summary,
    description: documented.description,
    method: "POST",
    path: PANEL,
    form: true,
    fields: fieldsOf(schemas, { $ref: `#/components/schemas/${documented.request}` }),
    body: (examples.find((value) => (value as { action?: string }).action === action) ?? { action }) as Record<
      string,
      unknown
    >,
    query: {},
    headers: {},
    responses: documented.responses.map((name) => ({
      status: "200",
      description: name,
      example: exampleText(ownValue(schemas, name)),
    })),
    errors: documented.errors.map((code) => ({
      // Panel errors are HTTP 200, except for the rate limit.
      status: code === "too_many_requests" ? "429" : "200",
      description: errors.get(code)?.text ?? "",
      code,
    })),
  }));
}

function responsesOf(schemas: Record<string, Schema>, status: string, response: Response): DocResponse[] {
  const schema = Object.values(response.content)[0]?.schema ?? {};
  return (schema.anyOf ?? [schema]).map((one) => ({
    status,
    description: one.$ref ? nameOf(one.$ref) : response.description,
    example: exampleText(resolve(schemas, one)),
  }));
}

function fieldsOf(schemas: Record<string, Schema>, given: Schema): DocField[] {
  const schema = resolve(schemas, given);
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    type: typeText(field),
    required: schema?.required?.includes(name) ?? false,
    description: field.description ?? "",
  }));
}

function typeText(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeText))].join(" or ");
  if (schema.type === "array") return `list of ${typeText(schema.items ?? {})}`;
  return schema.type === "string" ? "text" : (schema.type ?? "any");
}

function exampleText(schema: Schema | undefined): string | null {
  const [example] = schema?.examples ?? [];
  return example === undefined ? null : JSON.stringify(example, null, 2);
}

function firstExample(examples: Record<string, { value: object }> | undefined): object {
  return Object.values(examples ?? {})[0]?.value ?? {};
}

function resolve(schemas: Record<string, Schema>, schema: Schema): Schema | undefined {
  return schema.$ref ? ownValue(schemas, nameOf(schema.$ref)) : schema;
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
