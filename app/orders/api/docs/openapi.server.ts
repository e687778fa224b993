import { z } from "zod";
import { ORDER_TYPES } from "#app/db/schema.server.ts";
import * as api from "#app/orders/api/api-schema.server.ts";
import { NAMES_OF_SEVERAL_STATUSES } from "#app/orders/api/panel-actions.server.ts";
import { fieldsOfType } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { API_CHANGELOG } from "./api-changelog.ts";
import { documentedErrors } from "./documented-errors.server.ts";
import { errors, jsonSchema, problems, query, ref, response } from "./openapi-parts.server.ts";
import { ACTIONS, RESPONSE_EXAMPLES } from "./response-examples.server.ts";
import { openApiWebhooks } from "./webhook-events.server.ts";

/** Builds the OpenAPI 3.1 document from the schemas that the routes parse with. */
export function openApiDocument(origin: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: `${PRODUCT_NAME} order API`,
      version: API_CHANGELOG[0].version,
      description:
        "Place orders, track them and read your balance. `/api/v2` works with existing panel clients; the other routes use real HTTP status codes.",
    },
    servers: [{ url: origin }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Orders", description: "JSON in, JSON out. Errors are problem details." },
      { name: "Panel", description: "One URL with an action in the body. Errors are HTTP 200 with `error`." },
      { name: "Single actions", description: "The panel API's bodies, one route per action, with real status codes." },
    ],
    paths: {
      "/api/v1/create_order": { post: createOrder() },
      "/api/v1/orders": { get: listOrders() },
      "/api/v2": { post: panel() },
      "/api/order": {
        post: placeOne(),
        get: readOne("order", "Get an order's status", [query("order", api.oneOrder.shape.order)]),
      },
      "/api/services": { get: listServices() },
      "/api/balance": { get: read("balance", "Get your balance", ref("Balance"), []) },
      "/api/status": {
        get: readOne("status", "Get the status of orders", [
          query("order", z.int().optional()),
          query("orders", z.string().optional()),
        ]),
      },
    },
    webhooks: openApiWebhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "A key from the dashboard, sent as a Bearer token or, with POST, as `key` in the body. A key in the URL is refused.",
        },
      },
      headers: {
        RateLimit: {
          description: "Requests left (r) and seconds until the limit resets (t).",
          schema: { type: "string" },
        },
        "RateLimit-Policy": { description: "The limit (q) per window of seconds (w).", schema: { type: "string" } },
        "X-Request-Id": {
          description: "Include it when you contact support.",
          schema: { type: "string", format: "uuid" },
        },
      },
      schemas: schemas(),
    },
    /** The actions of `/api/v2`: schemas by name, errors by code. */
    "x-actions": ACTIONS,
    "x-errors": documentedErrors(),
    "x-changelog": API_CHANGELOG,
    /** The fields that each order type takes besides `service`; a question mark means optional. */
    "x-order-types": Object.fromEntries(ORDER_TYPES.map((type) => [type, fieldsFor(type)])),
  };
}

function schemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  const named = {
    OrderRequest: api.orderRequest.extend({ key }),
    ...api.RESPONSE_SCHEMAS,
    ...panelRequests(),
  };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  // Requests are described as clients send them, before parsing transforms them.
  const { schemas: built } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(built).map(([id, { $schema: _, $id: __, ...schema }]) => [id, { ...schema, ...exampleOf(id) }]),
  );
}

function exampleOf(id: string): { examples?: unknown[] } {
  const example: unknown = ownValue<unknown>(RESPONSE_EXAMPLES, id);
  return example === undefined ? {} : { examples: [example] };
}

const key = z.string().optional().meta({ description: "Your API key, unless you send it as a Bearer token." });
/** OpenAPI has no scheme for a key in the body. Where one is accepted, programs that check calls must let it pass without a header. */
const KEY_IN_BODY = { security: [{ apiKey: [] }, {}] };

function panelRequests() {
  const action = (...names: [string, ...string[]]) => z.object({ action: z.literal(names), key });
  const instead = { description: "One ID, as some clients send it. `orders` counts if both are there." };
  return {
    PanelServices: action("services").extend({ since: since.optional() }),
    PanelBalance: action("balance"),
    PanelAdd: action("add").extend(api.orderRequest.shape).extend({ request_id: api.requestId.optional() }),
    PanelStatus: action("status").extend(api.oneOrder.partial().shape).extend(api.severalOrders.partial().shape),
    PanelSeveralStatuses: action(...NAMES_OF_SEVERAL_STATUSES)
      .extend(api.severalOrders.shape)
      .meta({ description: "`status` for several orders, under the names that some clients use." }),
    PanelRefill: action("refill").extend(api.oneOrder.partial().shape).extend(api.severalOrders.partial().shape),
    PanelRefillStatus: action("refill_status")
      .extend(api.oneRefill.partial().shape)
      .extend(api.severalRefills.partial().shape),
    PanelCancel: action("cancel")
      .extend(api.severalOrders.partial().shape)
      .extend({ order: api.oneOrder.shape.order.optional().meta(instead) }),
  };
}

const LINK = "https://instagram.com/growline";
/** On an order that an idempotency key returned. */
const REPLAYED = { "Idempotent-Replayed": { schema: { type: "string", enum: ["true"] } } };

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Your unique key for this order: 1 to 255 printable characters, such as a UUID.",
  schema: jsonSchema(api.requestId),
};

function createOrder() {
  return {
    operationId: "createOrder",
    ...KEY_IN_BODY,
    tags: ["Orders"],
    summary: "Place an order",
    description:
      "Places the order and charges your balance, or does neither. With an `Idempotency-Key` you can safely retry: for at least 24 hours the same request returns the first response. The same key with different content is refused.",
    parameters: [{ ...IDEMPOTENCY_KEY, example: "order-2026-11-21-0001" }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: ref("OrderRequest"),
          examples: { followers: { summary: "1,000 followers", value: { service: 1, link: LINK, quantity: 1000 } } },
        },
      },
    },
    responses: {
      201: response("The order", "application/json", ref("CreatedOrder"), REPLAYED),
      ...problems(400, 401, 402, 403, 409, 413, 422, 429, 503),
    },
  };
}

function listOrders() {
  const { limit, cursor, reference, status } = api.listQuery.shape;
  return {
    operationId: "listOrders",
    tags: ["Orders"],
    summary: "List your orders",
    description:
      "Your orders, newest first. After a lost response, look an order up by its `reference`. A page costs the same however many orders you have, and new orders don't move the next one. A test key lists test orders.",
    parameters: [
      query("limit", limit),
      query("cursor", cursor),
      query("reference", reference),
      query("status", status),
    ],
    responses: {
      200: response("One page of orders", "application/json", ref("OrderList")),
      ...problems(400, 401, 403, 429, 503),
    },
  };
}

const RETRY_AFTER = { "Retry-After": { schema: { type: "integer" } } };

function panel() {
  const examples: Record<string, { value: object }> = {
    services: { value: { action: "services" } },
    add: { value: { action: "add", service: 1, link: LINK, quantity: 1000 } },
    status: { value: { action: "status", order: 1 } },
    "several statuses": { value: { action: "status", orders: "1,2" } },
    balance: { value: { action: "balance" } },
    refill: { value: { action: "refill", order: 1 } },
    "several refills": { value: { action: "refill", orders: "1,2" } },
    "refill status": { value: { action: "refill_status", refill: 1 } },
    cancel: { value: { action: "cancel", orders: "1,2" } },
  };
  const requests = Object.entries(panelRequests());
  const mapping = requests.flatMap(([name, { shape }]) =>
    [...shape.action.values].map((action) => [action, ref(name).$ref]),
  );
  const request = {
    oneOf: requests.map(([name]) => ref(name)),
    discriminator: { propertyName: "action", mapping: Object.fromEntries(mapping) },
  };
  const responses = [
    "ServiceList",
    "PlacedOrder",
    "OrderStatus",
    "SubscriptionStatus",
    "OrderStatuses",
    "Balance",
    "Refill",
    "Refills",
    "RefillStatus",
    "RefillStatuses",
    "Cancellations",
    "PanelError",
  ];
  return {
    operationId: "panel",
    ...KEY_IN_BODY,
    tags: ["Panel"],
    summary: "Run a panel action",
    parameters: [
      {
        ...IDEMPOTENCY_KEY,
        description: "Of an order: another place for its `request_id`, which it overrides. Other actions ignore it.",
      },
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: request, examples },
        "application/x-www-form-urlencoded": { schema: request },
        "multipart/form-data": { schema: request },
      },
    },
    responses: {
      200: response("The action's response, or an error", "application/json", { anyOf: responses.map(ref) }, REPLAYED),
      429: response("Too many requests", "application/json", ref("PanelError"), RETRY_AFTER),
      503: response("The database does not answer", "application/json", ref("PanelError"), RETRY_AFTER),
    },
  };
}

function placeOne() {
  return {
    operationId: "placeOrder",
    ...KEY_IN_BODY,
    tags: ["Single actions"],
    summary: "Place an order",
    parameters: [IDEMPOTENCY_KEY],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: ref("OrderRequest"),
          examples: { followers: { value: { service: 1, link: LINK, quantity: 1000 } } },
        },
      },
    },
    responses: {
      200: response("The order's id", "application/json", ref("PlacedOrder"), REPLAYED),
      ...errors(400, 401, 402, 403, 409, 413, 422, 429, 503),
    },
  };
}

function readOne(name: string, summary: string, parameters: object[]) {
  return read(
    name === "order" ? "readOrder" : name,
    summary,
    { anyOf: [ref("PricedStatus"), ref("PricedSubscription"), ref("PricedStatuses")] },
    parameters,
    [404],
  );
}

const since = z
  .string()
  .regex(/^\d{1,15}$/)
  .meta({
    description:
      "The `Catalog-Version` of a list that you have. You get what changed after it, or an error if it is too old. Measured delivery times and rates change without a version: for current ones, fetch the list without `since`.",
  });

function listServices() {
  const either = { anyOf: [ref("ServiceList"), ref("CatalogChanges")] };
  const operation = read(
    "services",
    "List services",
    either,
    [
      query("since", since),
      {
        name: "If-None-Match",
        in: "header",
        required: false,
        description: "The ETag of the list you have. An unchanged list is not sent again.",
        schema: { type: "string" },
      },
    ],
    [410],
  );
  return { ...operation, responses: { ...operation.responses, 304: { description: "The list you have is current." } } };
}

function read(operationId: string, summary: string, schema: object, parameters: object[], more: number[] = []) {
  return {
    operationId,
    tags: ["Single actions"],
    summary,
    parameters,
    responses: { 200: response(summary, "application/json", schema), ...errors(400, 401, 403, 429, 503, ...more) },
  };
}

function fieldsFor(type: (typeof ORDER_TYPES)[number]): string[] {
  const { link, quantity, runs, needs } = fieldsOfType(type);
  return [
    ...(link ? ["link"] : []),
    ...(quantity ? ["quantity"] : []),
    ...(runs ? ["runs?", "interval?"] : []),
    ...needs.map(({ name, optional }) => (optional ? `${name}?` : name)),
  ];
}
